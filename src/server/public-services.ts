import { join } from 'node:path'
import { pageChangesChannel } from '../account/index.ts'
import { exports } from '../exports/exports.ts'
import { setVerifiedVisitorCookie } from '../forms/index.ts'
import { newPageStore, newVisitBuffer } from '../funnels/index.ts'
import type { Geo } from '../kernel/geo.ts'
import type { Limiters } from '../kernel/limiter.ts'
import { newPerMinute } from '../kernel/per-minute.ts'
import type { BounceKeys } from '../mail/bounces/bounces.http.ts'
import type { FetchText } from '../mail/bounces/sns.ts'
import type { VisitorCookies } from '../mail/tracking/tracking.http.ts'
import type { Parts } from './lifecycle.ts'
import type { ProcessBase } from './process-base.ts'

interface PublicSettings {
  readonly visitsPerMinute: number
  readonly dataDir: string
  readonly devMail: boolean
  readonly bounces: BounceKeys
}

/** Creates the services of the routes that need no API key: pages and forms, links in e-mails, files, reports of bounces. */
export function newPublicServices(options: {
  base: ProcessBase
  settings: PublicSettings
  limiters: Limiters
  geo: Geo
  /** Fetches the certificates of bounce reports; for tests. */
  fetch: FetchText | undefined
  parts: Parts
}) {
  const { base, settings, limiters, geo, fetch, parts } = options
  const { system } = base
  const store = newPageStore(system)
  const visits = newVisitBuffer(base.background)
  parts.add(() => visits.stop())
  base.on(pageChangesChannel, store.invalidate)
  const ownHost = () => {
    const url = system.baseUrl()
    return URL.canParse(url) ? new URL(url).hostname : ''
  }
  const cookies: VisitorCookies = {
    isOwnHost: (host) => host.endsWith(`.${ownHost()}`),
    remember: (http, proven) => setVerifiedVisitorCookie(http, system, proven),
  }
  return {
    ...{ system, store, visits, geo, limiters, ownHost, exports, fetch, bounceKeys: settings.bounces, cookies },
    looks: newPerMinute(settings.visitsPerMinute, system.clock),
    mailFolder: settings.devMail ? join(settings.dataDir, 'mail') : undefined,
  }
}
