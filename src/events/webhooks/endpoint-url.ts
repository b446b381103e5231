import { invalid } from '../../kernel/errors.ts'
import { Forbidden, type Outbound } from '../../kernel/outbound.ts'

/** An index holds the address, and longer ones are not taken everywhere. */
const longestUrl = 2_000

/** How long a client waits to be told that a name leads where it may not. */
const patienceMilliseconds = 2_000

/**
 * The address of an endpoint as it is kept: in the one notation that WHATWG's standard gives it, so that equal addresses
 * are equal. `field` is the one that errors name. Fails with VALIDATION_ERROR where it is no http or https URL, or holds what is not sent: a fragment, a login.
 */
export function readEndpoint(given: string, field = 'url'): URL {
  const refusal = (message: string) => invalid({ [field]: [message] })
  // What the parser would drop without a word was not meant.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters it drops
  if (/[\x00-\x20\x7f]/.test(given) || !given.isWellFormed() || !URL.canParse(given)) {
    throw refusal('must be an http or https URL')
  }
  const url = new URL(given)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refusal('must be an http or https URL')
  if (url.username !== '' || url.password !== '') throw refusal('must not hold a user name or password')
  if (given.includes('#')) throw refusal('must not hold a fragment')
  if (url.href.length > longestUrl) throw refusal(`must have ${longestUrl} characters at most`)
  return url
}

/**
 * Makes sure that an endpoint may be called, as far as can be told now: it is asked again at each delivery. A name that
 * cannot be resolved yet is let through. Fails with VALIDATION_ERROR.
 */
export async function mustBeReachable(url: URL, outbound: Outbound | undefined, field = 'url'): Promise<void> {
  if (!outbound) return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMilliseconds)
  })
  try {
    await Promise.race([outbound.reach(url), patience])
  } catch (error) {
    if (error instanceof Forbidden) throw invalid({ [field]: ['must be an address on the public Internet'] })
  } finally {
    clearTimeout(timer)
  }
}
