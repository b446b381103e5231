import { addressKey } from '../../kernel/values/address-key.ts'
import { withParents } from '../../kernel/values/domain-name.ts'

/**
 * Returns the domain of the list to which an e-mail address belongs, directly or by a domain below it. Returns undefined if the
 * list has none.
 */
export function refusedDomainOf(refusedDomains: readonly string[], email: string): string | undefined {
  if (refusedDomains.length === 0) return undefined
  const key = addressKey(email.trim())
  return withParents(key.slice(key.lastIndexOf('@') + 1)).find((domain) => refusedDomains.includes(domain))
}
