import type { LookupAddress } from 'node:dns'

/** Where this server may call when an account names the address. */
export interface Outbound {
  /**
   * The addresses behind a URL that an account gave, each of them one that may be called. Whoever connects must connect to
   * one of these: asked again, the name may answer otherwise. Rejects with Forbidden where one of them may not be called,
   * and with the resolver's error where the name has none.
   */
  reach(url: URL): Promise<readonly LookupAddress[]>
}

/** An account named an address that this server must not call on its behalf. */
export class Forbidden extends Error {
  override name = 'Forbidden'
}
