/** What a server requires of the domains that accounts send from. */
export interface SenderPolicy {
  /** Whether an account sends only from domains that it has verified. */
  readonly requiresVerification: boolean
  /** Returns the TXT records of a DNS name, an empty list if it has none. Rejects if the DNS gives no answer in time. */
  readonly txtRecords: TxtLookup
}

export type TxtLookup = (name: string) => Promise<readonly string[]>
