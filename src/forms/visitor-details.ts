import type { TextKey } from '../contacts/index.ts'

/** Consent of a visitor to a form or a page. */
export interface Consent {
  readonly source: string
  /** The wording as the visitor saw it. */
  readonly text: string
  readonly ip: string
}

/** Contact data that a page received outside the answers. The caller has validated it. */
export type VisitorDetails = { readonly [Key in TextKey]?: string } & { readonly consent?: Consent | undefined }
