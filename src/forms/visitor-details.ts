import type { Contact } from '../../prisma/generated/client/client.ts'
import type { ContactField } from './question-types.ts'

/** Contact columns by contact field. */
export const contactColumns = {
  EMAIL: 'email',
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  PHONE: 'phone',
  COMPANY_NAME: 'companyName',
  CITY: 'city',
  COUNTRY: 'country',
} as const satisfies Partial<Record<ContactField, keyof Contact>>

/** Consent of a visitor to a form or a page. */
export interface Consent {
  readonly source: string
  /** The wording as the visitor saw it. */
  readonly text: string
  readonly ip: string
}

/** Contact data that a page received outside the answers. The caller has validated it. */
export type VisitorDetails = {
  readonly [Key in (typeof contactColumns)[keyof typeof contactColumns]]?: string
} & { readonly consent?: Consent | undefined }
