import type { System } from '../db/context.ts'
import type { Geo } from '../kernel/geo.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { PerMinute } from '../kernel/per-minute.ts'
import type { Signer } from '../kernel/signer.ts'
import type { LivePage, PageStore } from './page-store.ts'
import type { VisitBuffer } from './visit-buffer.ts'

/** What the door of pages needs. */
export interface PageServices {
  readonly system: System & { readonly signer: Signer }
  readonly store: PageStore
  readonly visits: VisitBuffer
  /** Bounds how many looks are kept. */
  readonly looks: PerMinute
  readonly geo: Geo
  readonly limiters: Pick<Limiters, 'posts'>
  /** The host of our own address; accounts have theirs below it. */
  readonly ownHost: () => string
}

/** How every answer of a page is to be taken, whatever it shows. */
export function pageHeaders({ compiled }: LivePage): Record<string, string> {
  return {
    'Content-Security-Policy': compiled.csp,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    Vary: 'Cookie',
  }
}
