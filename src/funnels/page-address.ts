import type { PageAddress } from './live-page.ts'

/** What an address asks for: a page, or a funnel, whose first page it then leads to. */
export interface Asked {
  readonly subdomain: string
  readonly funnelId: number
  /** undefined where only the funnel is named. */
  readonly path: string | undefined
}

const byPath = /^\/p\/([a-z0-9-]{1,63})\/([1-9]\d{0,9})(?:\/([a-z0-9-]{1,255})?)?$/
const byHost = /^\/([1-9]\d{0,9})(?:\/([a-z0-9-]{1,255})?)?$/
const label = /^[a-z0-9-]{1,63}$/

/**
 * What an address under `/p/` asks for, or one on the host of an account, `<subdomain>.<host of our own address>`; undefined
 * for every other. Whatever begins with `/p/` is a page's or nobody's: then it is `nowhere`.
 */
export function parseAddress(host: string, path: string, ownHost: string): Asked | 'nowhere' | undefined {
  if (path.startsWith('/p/')) {
    const [, subdomain, funnel, name] = byPath.exec(path) ?? []
    return subdomain === undefined ? 'nowhere' : { subdomain, funnelId: Number(funnel), path: name }
  }
  if (!host.endsWith(`.${ownHost}`)) return undefined
  const subdomain = host.slice(0, -ownHost.length - 1)
  const [, funnel, name] = byHost.exec(path) ?? []
  return funnel === undefined || !label.test(subdomain)
    ? undefined
    : { subdomain, funnelId: Number(funnel), path: name }
}

/** Whether it names a page. */
export function isPageAddress(asked: Asked): asked is PageAddress {
  return asked.path !== undefined
}
