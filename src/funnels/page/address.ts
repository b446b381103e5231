import type { PageAddress } from './published-page.ts'

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
 * Parses a path under `/p/`, or a path on the host of an account (`<subdomain>.<own host>`). Returns undefined for a path that
 * is not the address of a page or funnel.
 */
export function parseAddress(host: string, path: string, ownHost: () => string): FunnelAddress | undefined {
  const [, name, id, page] = byPath.exec(path) ?? []
  if (name !== undefined) return { subdomain: name, funnelId: Number(id), path: page }
  const [, funnel, step] = byHost.exec(path) ?? []
  if (funnel === undefined) return undefined
  const ending = `.${ownHost()}`
  const subdomain = host.slice(0, -ending.length)
  if (!host.endsWith(ending) || !label.test(subdomain)) return undefined
  return { subdomain, funnelId: Number(funnel), path: step }
}

/** Whether the address is that of a page. */
export function isPageAddress(address: FunnelAddress): address is PageAddress {
  return address.path !== undefined
}
