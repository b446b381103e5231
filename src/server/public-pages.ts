import { join } from 'node:path'
import type { Middleware } from 'koa'
import { documents } from '../account/documents.http.ts'
import { exportFiles } from '../account/exports.http.ts'
import { pageChangesChannel } from '../account/index.ts'
import { importFiles } from '../contacts/import.http.ts'
import { exports } from '../exports/exports.ts'
import { formPages } from '../forms/form-page.http.ts'
import { setVerifiedVisitorCookie } from '../forms/index.ts'
import { confirmationPages } from '../funnels/confirmation.http.ts'
import { newPageStore, newVisitBuffer } from '../funnels/index.ts'
import { pages } from '../funnels/pages.http.ts'
import type { Geo } from '../kernel/geo.ts'
import type { Limiters } from '../kernel/limiter.ts'
import { newPerMinute } from '../kernel/per-minute.ts'
import { bounceWebhooks } from '../mail/bounces/bounces.http.ts'
import type { FetchText } from '../mail/bounces/sns.ts'
import { devMail } from '../mail/delivery/dev-mail.http.ts'
import { trackingRoutes } from '../mail/tracking/tracking.http.ts'
import { unsubscribePage } from '../mail/tracking/unsubscribes.http.ts'
import type { Parts } from './lifecycle.ts'
import type { ProcessBase } from './process-base.ts'
import { startPage } from './start-page.http.ts'

export interface PublicPageSettings {
  readonly visitsPerMinute: number
  readonly dataDir: string
  readonly devMail: boolean
  readonly bounces: Parameters<typeof bounceWebhooks>[0]['keys']
}

/**
 * Creates the handlers of everything that needs no API key: pages and forms, links in e-mails, files behind signed links,
 * and reports of bounces. They run in this order.
 */
export function newPublicPages(options: {
  base: ProcessBase
  settings: PublicPageSettings
  limiters: Limiters
  geo: Geo
  /** Fetches the certificates of bounce reports; for tests. */
  fetch: FetchText | undefined
  parts: Parts
}): readonly Middleware[] {
  const { base, settings, limiters, geo, parts } = options
  const { system } = base
  const store = newPageStore(system)
  const visits = newVisitBuffer(base.background)
  parts.add(() => visits.stop())
  base.on(pageChangesChannel, store.invalidate)
  const looks = newPerMinute(settings.visitsPerMinute, system.clock)
  const ownHost = () => {
    const url = system.baseUrl?.() ?? ''
    return URL.canParse(url) ? new URL(url).hostname : ''
  }
  return [
    pages({ system, store, visits, looks, geo, limiters, ownHost }),
    confirmationPages(system),
    exportFiles(system, exports),
    documents(system),
    importFiles(system),
    trackingRoutes(system, {
      isOwnHost: (host) => host.endsWith(`.${ownHost()}`),
      remember: (http, proven) => setVerifiedVisitorCookie(http, system, proven),
    }),
    unsubscribePage(system),
    formPages(system, limiters, looks),
    ...(settings.devMail ? [devMail(join(settings.dataDir, 'mail'))] : []),
    startPage({ devMail: settings.devMail, isOwnHost: (host) => !host.endsWith(`.${ownHost()}`) }),
    bounceWebhooks({ system, keys: settings.bounces, get: options.fetch }),
  ]
}
