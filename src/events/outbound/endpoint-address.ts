import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { ForbiddenAddress, type Outbound } from '../../kernel/web/outbound.ts'

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** IPv4 networks that are not public: the special-purpose registry (RFC 6890 and its successors), and multicast. */
const nonPublicV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Networks inside 2000::/3, the public range of IPv6, that are not public or embed an IPv4 address. */
const nonPublicV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']

const blockedV4 = blockListOf('ipv4', nonPublicV4)
const blockedV6 = blockListOf('ipv6', nonPublicV6)
const publicV6 = blockListOf('ipv6', ['2000::/3'])

/** Returns true for a public IP address. Addresses that embed IPv4 (mapped, NAT64, 6to4, Teredo) are not public. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !blockedV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && publicV6.check(address, 'ipv6') && !blockedV6.check(address, 'ipv6')
    default:
      return false
  }
}

/**
 * Returns the guard for requests to URLs of accounts. Unless `allowPrivate` is true, every address of a host name must be
 * public; one private address is enough to reject the name.
 */
export function newOutbound(options: { allowPrivate: boolean; resolve?: Resolve | undefined }): Outbound {
  const { allowPrivate } = options
  // Private names may be defined in the hosts file, which only `lookup` reads.
  const resolve =
    options.resolve ?? (allowPrivate ? (name) => lookup(name, { all: true, verbatim: true }) : newDnsResolver())
  return {
    reach: async (url) => {
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      const family = isIP(host)
      const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
      if (addresses.length === 0) throw new Error(`${host} has no address`)
      if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) {
        throw new ForbiddenAddress(`${host} is not on the public Internet`)
      }
      return addresses
    },
  }
}

/**
 * Queries name servers directly. The system resolver has four threads for the whole process, so host names with unresponsive
 * name servers would block all others.
 */
function newDnsResolver(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    // Always a loopback address (RFC 6761, section 6.3).
    if (/(^|\.)localhost\.?$/i.test(hostname)) return [{ address: '127.0.0.1', family: 4 }]
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}

function blockListOf(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net, prefix] = subnet.split('/') as [string, string]
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}
