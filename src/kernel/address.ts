import { isIPv6 } from 'node:net'

/** The longest that an address is written. */
const longest = 45

/** The address of a client as records keep it: an address of IPv4 that came by IPv6 is itself again, and a zone is left out. */
export function plainAddress(ip: string): string {
  return ip
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .replace(/%.*$/, '')
    .slice(0, longest)
}

/**
 * Whom a limit holds for: an address of IPv4 by itself, and of IPv6 its first 64 bits, for whoever has one of those has
 * them all.
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
