import { join } from 'node:path'
import { pageChangesChannel } from '../account/index.ts'
import { newOpenIdClient, type OpenIdSettings } from '../account/sign-in/openid.ts'
import { newMediaStore } from '../content/index.ts'
import { exports } from '../exports/exports.ts'
import { readVisit, setVisitorCookie, verifyVisitor } from '../forms/index.ts'
import { newPageStore, newVisitBuffer } from '../funnels/index.ts'
import type { Geo } from '../kernel/web/geo.ts'
import { newAbsences } from '../kernel/work/absences.ts'
import type { Limiters } from '../kernel/work/rate-limiter.ts'
import { newPerMinute } from '../kernel/work/view-limiter.ts'
import type { BounceKeys } from '../mail/bounces/bounces.http.ts'
import { newSignedSenders } from '../mail/bounces/signed-senders.ts'
import type { FetchText } from '../mail/bounces/sns.ts'
import { newReactionQueue } from '../mail/tracking/reaction-queue.ts'
import { newLinkTargets, type VisitorCookies } from '../mail/tracking/tracking.http.ts'
import { findConsole } from './console/console.http.ts'
import type { Parts } from './processes/parts.ts'
import type { ProcessBase } from './processes/process-base.ts'

interface PublicSettings {
  readonly visitsPerMinute: number
  readonly dataDir: string
  readonly devMail: boolean
  /** Whether the console is served. */
  readonly console: boolean
  readonly consoleUrl: string | undefined
  readonly openid: OpenIdSettings | undefined
  /** Where media files are kept. Undefined if it is the database. */
  readonly mediaStore: Parameters<typeof newMediaStore>[0]
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
  /** Returns the host of this server. The hosts of accounts are subdomains of it. */
  ownHost: () => string
  parts: Parts
}) {
  const { base, settings, limiters, geo, fetch, ownHost, parts } = options
  const { system } = base
  const absences = newAbsences(() => base.hints.isConnected())
  const store = newPageStore(system, absences)
  const visits = newVisitBuffer(base.background)
  parts.add(() => visits.stop())
  base.on(pageChangesChannel, store.invalidate)
  const reactions = newReactionQueue()
  parts.add(() => reactions.stop())
  const cookies: VisitorCookies = {
    isOwnHost: (host) => host.endsWith(`.${ownHost()}`),
    async remember(http, proven) {
      const visit = readVisit(http, system.signer, proven.accountId)
      setVisitorCookie(http, system.signer, await verifyVisitor(system, visit, proven))
    },
  }
  return {
    ...{ system, store, absences, visits, geo, limiters, ownHost, exports, fetch, bounceKeys: settings.bounces },
    senders: newSignedSenders(),
    ...{ cookies, reactions, targets: newLinkTargets() },
    media: newMediaStore(settings.mediaStore),
    looks: newPerMinute(settings.visitsPerMinute, system.clock),
    console: settings.console ? findConsole() : undefined,
    openid: settings.openid && newOpenIdClient(settings.openid),
    consoleOrigin: settings.consoleUrl ?? '',
    mailFolder: settings.devMail ? join(settings.dataDir, 'mail') : undefined,
  }
}
