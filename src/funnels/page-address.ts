import type { PageAddress } from './live-page.ts'

/** Address of a page or of a funnel. A funnel redirects to its first page. */
export interface FunnelAddress {
  readonly subdomain: string
  readonly funnelId: number
  /** Undefined for the address of a funnel. */
  readonly path: string | undefined
}

const byPath = /^\/p\/([a-z0-9-]{1,63})\/([1-9]\d{0,9})(?:\/([a-z0-9-]{1,255})?)?$/
const byHost = /^\/([1-9]\d{0,9})(?:\/([a-z0-9-]{1,255})?)?$/
const label = /^[a-z0-9-]{1,63}$/

/**
 * Parses a path under `/p/`, or a path on the host of an account (`<subdomain>.<own host>`). Returns undefined for other paths,
 * and `invalid` for a path under `/p/` that is not the address of a page or funnel.
 */
export function parseAddress(host: string, path: string, ownHost: string): FunnelAddress | 'invalid' | undefined {
  if (path.startsWith('/p/')) {
    const [, subdomain, funnel, name] = byPath.exec(path) ?? []
    return subdomain === undefined ? 'invalid' : { subdomain, funnelId: Number(funnel), path: name }
  }
  if (!host.endsWith(`.${ownHost}`)) return undefined
  const subdomain = host.slice(0, -ownHost.length - 1)
  const [, funnel, name] = byHost.exec(path) ?? []
  return funnel === undefined || !label.test(subdomain)
    ? undefined
    : { subdomain, funnelId: Number(funnel), path: name }
}

/** Whether the address is that of a page. */
export function isPageAddress(address: FunnelAddress): address is PageAddress {
  return address.path !== undefined
}
