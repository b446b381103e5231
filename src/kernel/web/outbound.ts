import type { LookupAddress } from 'node:dns'

/** Rules for requests to URLs that accounts specify. */
export interface Outbound {
  /**
   * Resolves the host of a URL from an account and returns its addresses, all of which are allowed. The caller must
   * connect to one of these addresses, because another resolution could return other addresses. Rejects with ForbiddenAddress
   * if an address is not allowed, and with the resolver's error if the name has no address.
   */
  reach(url: URL): Promise<readonly LookupAddress[]>
}

/** The URL of an account resolves to an address to which this server must not connect. */
export class ForbiddenAddress extends Error {
  override name = 'ForbiddenAddress'
}
