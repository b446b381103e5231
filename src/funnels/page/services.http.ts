import type { System } from '../../db/context.ts'
import type { Geo } from '../../kernel/web/geo.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import type { PerMinute } from '../../kernel/work/view-limiter.ts'
import type { VisitBuffer } from '../visits/visit-buffer.ts'
import type { LivePage, PageStore } from './page-store.ts'

/** Services of the handlers of pages. */
export interface PageServices {
  readonly system: System
  readonly store: PageStore
  readonly visits: VisitBuffer
  /** Limits the number of recorded visits per IP address. */
  readonly looks: PerMinute
  readonly geo: Geo
  readonly limiters: Pick<Limiters, 'posts'>
  /** Host of this server. The hosts of accounts are subdomains of it. */
  readonly ownHost: () => string
}

/** Response headers of a page. */
export function pageHeaders({ compiled }: LivePage): Record<string, string> {
  return {
    'Content-Security-Policy': compiled.csp,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    Vary: 'Cookie',
  }
}
