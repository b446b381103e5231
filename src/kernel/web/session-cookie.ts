import { isToken } from './tokens.ts'

/** Maximum lifetime of a session in days. */
export const sessionMaxDays = 90

/** Headers of a request, by name in lower case. */
type HeaderOf = (name: string) => string

/**
 * Returns the name of the session cookie. Browsers accept the prefix only with `Secure`, so only over HTTPS: it guarantees that
 * no other host, such as the subdomain of an account, has set the cookie.
 */
function nameOf(consoleUrl: string): string {
  return isHttps(consoleUrl) ? names.secure : names.plain
}

const names = { secure: '__Host-session', plain: 'campanile-session' }

/** Returns a `Cookie` header without the cookies of sessions; empty if it has no other. */
export function withoutSessionCookie(header = ''): string {
  if (!header.includes('session')) return header
  const isSession = (cookie: string) => Object.values(names).some((name) => cookie.startsWith(`${name}=`))
  return header
    .split(/; */)
    .filter((cookie) => !isSession(cookie))
    .join('; ')
}

function isHttps(consoleUrl: string): boolean {
  return consoleUrl.startsWith('https:')
}

/** Returns the `Set-Cookie` header that stores the token of a session, or removes it if `token` is undefined. */
export function sessionCookie(token: string | undefined, consoleUrl: string): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps(consoleUrl) ? '; Secure' : ''}`
  return `${nameOf(consoleUrl)}=${token ?? ''}; Max-Age=${token === undefined ? 0 : sessionMaxDays * 86_400}; ${attributes}`
}

/** Returns the token in a `Cookie` header. Undefined if there is none, or its form is wrong. */
export function readSessionCookie(header: string | undefined, consoleUrl: string): string | undefined {
  const start = `${nameOf(consoleUrl)}=`
  const found = (header ?? '').split(/; */).find((each) => each.startsWith(start))
  const token = found?.slice(start.length) ?? ''
  return isToken(token) ? token : undefined
}

/** Returns whether an `Origin` header names this server: the origin of the console, or that of the `Host` header. */
export function isOwnOrigin(origin: string, { host, consoleUrl }: { host: string; consoleUrl: string }): boolean {
  const schemes = isHttps(consoleUrl) ? ['https'] : ['http', 'https']
  const own = schemes.map((scheme) => `${scheme}://${host.toLowerCase()}`)
  return own.includes(origin) || (URL.canParse(consoleUrl) && new URL(consoleUrl).origin === origin)
}

/** Returns whether the headers of a browser permit that a page of this origin sent the request. */
export function isSameOrigin(get: HeaderOf, own: { host: string; consoleUrl: string }): boolean {
  const [site, origin] = [get('sec-fetch-site'), get('origin')]
  return (site === '' || site === 'same-origin') && (origin === '' || isOwnOrigin(origin, own))
}
