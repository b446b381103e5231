import { isIPv6 } from 'node:net'

/** Maximum length of an IP address in text form, in characters. */
const maxLength = 45

/**
 * Returns an IP address as records store it. IPv4-mapped IPv6 addresses become IPv4, and the zone of an IPv6 address is
 * removed.
 */
export function plainAddress(ip: string): string {
  return ip
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .slice(0, maxLength)
}

/**
 * Returns the IP address of the client of a connection. `forwarded` is the header `X-Forwarded-For`, to which each of the
 * trusted `proxies` in front of this server added the address of its own client.
 */
export function clientAddress(remote: string | undefined, forwarded: string | undefined, proxies: number): string {
  const addresses = proxies > 0 ? (forwarded ?? '').split(',').map((each) => each.trim()) : []
  return plainAddress(addresses.slice(-proxies)[0] || (remote ?? ''))
}

/**
 * Returns the key by which rate limits count an address: an IPv4 address itself, or the first 64 bits of an IPv6
 * address, because one client usually has all addresses with the same 64 bits.
 */
export function networkOf(ip: string): string {
  const address = plainAddress(ip)
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(8 - before.length - after.length, 0)
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

/** Returns whether a host name, as in a URL or in `HOST`, is one of this machine that no other machine reaches. */
export function isLoopbackName(host: string): boolean {
  return host === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(host) || host === '::1' || host === '[::1]'
}
