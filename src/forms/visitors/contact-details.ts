import type { TextKey } from '../../contacts/index.ts'
import type { Consent } from '../ports.ts'

/** Contact data that a page received outside the answers. The caller has validated it. */
export type VisitorDetails = { readonly [Key in TextKey]?: string } & { readonly consent?: Consent | undefined }
