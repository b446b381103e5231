import { Resolver } from 'node:dns/promises'
import type { MailServices } from '../services.ts'

/** DNS errors that mean that a name has no such record. */
const absent = ['ENOTFOUND', 'ENODATA']

/**
 * Returns a lookup of TXT records at the configured name servers. A lookup takes at most `timeout` milliseconds. The
 * strings of one record are joined (RFC 7208, section 3.3).
 */
export function newTxtLookup({
  timeout = 4_000,
  servers,
}: {
  timeout?: number
  servers?: string[]
} = {}): MailServices['txtRecords'] {
  const resolver = new Resolver({ timeout: timeout / 2, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''))
    } catch (error) {
      if (absent.includes((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }
}
