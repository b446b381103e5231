/** Requirements of the server for the domains from which accounts send. */
export interface SenderPolicy {
  /** Whether accounts may send only from domains that they have verified. */
  readonly requiresVerification: boolean
  /**
   * Returns the TXT records of a DNS name, or an empty list if it has none. Rejects if the DNS query fails or times
   * out.
   */
  readonly txtRecords: TxtLookup
}

export type TxtLookup = (name: string) => Promise<readonly string[]>

/** Accepts every sender domain. */
export const anySender: SenderPolicy = { requiresVerification: false, txtRecords: async () => [] }
