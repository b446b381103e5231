import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { Forbidden, type Outbound } from '../../kernel/outbound.ts'

/** Finds all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>

/** What of IPv4 is no public host: the special-purpose registry (RFC 6890 and its successors), and multicast. */
const notPublicV4 = [
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

/** Of IPv6 only 2000::/3 is given out to hosts; this much of it is not, or leads to an IPv4 address in disguise. */
const notPublicV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3ffe::/16', '3fff::/20']

const refusedV4 = listOf('ipv4', notPublicV4)
const refusedV6 = listOf('ipv6', notPublicV6)
const givenOutV6 = listOf('ipv6', ['2000::/3'])

/** Whether an IP address is one of the public Internet. What embeds an IPv4 address (mapped, NAT64, 6to4, Teredo) is not. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && givenOutV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6')
    default:
      return false
  }
}

/**
 * The guard of what this server calls on behalf of an account: without `allowPrivate` only the public Internet, judged by
 * every address that a name has. A name with one bad address is refused as a whole.
 */
export function newOutbound(options: { allowPrivate: boolean; resolve?: Resolve | undefined }): Outbound {
  const { allowPrivate } = options
  // What may be private may also stand in this machine's own file of hosts.
  const resolve =
    options.resolve ?? (allowPrivate ? (name) => lookup(name, { all: true, verbatim: true }) : askServers())
  return {
    reach: async (url) => {
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      const family = isIP(host)
      const addresses = family === 0 ? await resolve(host) : [{ address: host, family }]
      if (addresses.length === 0) throw new Error(`${host} has no address`)
      if (!allowPrivate && !addresses.every(({ address }) => isPublic(address))) {
        throw new Forbidden(`${host} is not on the public Internet`)
      }
      return addresses
    },
  }
}

/**
 * Asks name servers, not this machine's resolver: that has four threads for the whole process, so that names whose servers
 * are silent would hold up everybody else's.
 */
function askServers(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  return async (hostname) => {
    // Always this machine, whatever name servers say (RFC 6761, section 6.3).
    if (/(^|\.)localhost\.?$/i.test(hostname)) return [{ address: '127.0.0.1', family: 4 }]
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (found.length === 0 && four.status === 'rejected') throw four.reason
    return found
  }
}

function listOf(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net, prefix] = subnet.split('/') as [string, string]
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}
