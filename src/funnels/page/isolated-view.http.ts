import type { Context } from 'koa'
import { sealPass, type Visitor } from '../../forms/index.ts'
import type { View } from '../html/compile.ts'
import type { LivePage } from './page-store.ts'
import type { PageServices } from './services.http.ts'

const startCookie = 'campanile_start'

/** As long as the visitor cookie: 400 days. */
const maxAgeMs = 400 * 24 * 60 * 60 * 1_000

/**
 * Returns what a page in a sandbox gets in its HTML because it has no origin: the pass of the visitor, and the start of
 * countdowns, which other pages keep in the storage of the browser. Returns undefined if the page needs neither, so that it stays
 * the same for all.
 */
export function isolatedView(
  http: Context,
  { system }: Pick<PageServices, 'system'>,
  { compiled }: LivePage,
  visitor: Visitor,
): Pick<View, 'pass' | 'start'> | undefined {
  const now = system.clock.now()
  const pass = compiled.forms.size > 0 ? sealPass(system.signer, { visitor }, now) : undefined
  const start = compiled.hasTimer ? startOf(http, now) : undefined
  return pass === undefined && start === undefined ? undefined : { pass, start }
}

/** Returns the time of the first visit of the browser to the page. Stores it in a cookie of the page. */
function startOf(http: Context, now: Date): Date {
  const [, stored] = /^(\d{1,15})$/.exec(http.cookies.get(startCookie) ?? '') ?? []
  if (stored !== undefined) return new Date(Number(stored))
  const { path, secure } = http
  http.cookies.set(startCookie, String(now.getTime()), {
    path,
    secure,
    httpOnly: true,
    sameSite: 'lax',
    maxAge: maxAgeMs,
  })
  return now
}
