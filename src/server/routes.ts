import type { Context, Middleware } from 'koa'
import { documentRoutes } from '../account/documents/documents.http.ts'
import { exportRoutes } from '../account/exports/exports.http.ts'
import type { Exports } from '../account/exports/exports.ts'
import type { OpenIdClient } from '../account/sign-in/openid.ts'
import { signInRoutes } from '../account/sign-in/sign-in.http.ts'
import { importRoutes } from '../contacts/imports/import.http.ts'
import type { ObjectStore } from '../content/index.ts'
import { mediaRoutes } from '../content/media/media.http.ts'
import type { System } from '../db/context.ts'
import { personRoutes } from '../exports/person.http.ts'
import { formRoutes } from '../forms/page/form-page.http.ts'
import { confirmationRoutes } from '../funnels/opt-in/confirmation.http.ts'
import { pageRoutes } from '../funnels/page/pages.http.ts'
import type { PageServices } from '../funnels/page/services.http.ts'
import { type HttpRoute, httpRoute } from '../kernel/web/http-route.ts'
import type { Absences } from '../kernel/work/absences.ts'
import type { Limiters } from '../kernel/work/rate-limiter.ts'
import { type BounceServices, bounceRoutes } from '../mail/bounces/bounces.http.ts'
import { devMailRoutes } from '../mail/delivery/transport/dev-mail.http.ts'
import { preferenceRoutes } from '../mail/preferences/preferences.http.ts'
import type { ReactionQueue } from '../mail/tracking/reaction-queue.ts'
import { type LinkTargets, trackingRoutes, type VisitorCookies } from '../mail/tracking/tracking.http.ts'
import { type ConsoleFiles, consoleRoutes } from './console/console.http.ts'
import { startPageRoutes } from './console/start-page.http.ts'
import { type Health, healthRoutes } from './http/health.http.ts'

/** What the handlers need of a process that serves requests. */
export interface ApiServices extends Health, PageServices, BounceServices {
  readonly system: System
  readonly exports: Exports
  readonly limiters: Pick<Limiters, 'posts' | 'cost'>
  readonly cookies: VisitorCookies
  readonly reactions: ReactionQueue
  /** Remembers addresses without a page or a form. */
  readonly absences: Absences
  readonly targets: LinkTargets
  /** The store of media files, if it is not the database. */
  readonly media: ObjectStore | undefined
  readonly mailFolder: string | undefined
  /** The console, if it is served. */
  readonly console: ConsoleFiles | undefined
  readonly consoleOrigin: string
  readonly openid: OpenIdClient | undefined
  readonly graphql: (http: Context) => Promise<void>
  readonly bridge: Middleware
}

/** The REST bridge has a route table of its own, `rest-bridge/routes.ts`. */
const bridge = {
  area: 'server',
  readsQueryItself: true,
  limiter: 'visitors',
  handle: ({ http }: { http: Context }, services: Pick<ApiServices, 'bridge'>) =>
    services.bridge(http, async () => undefined) as Promise<void>,
} as const
const reference = { ...bridge, limiter: 'downloads', methods: ['GET'], otherMethods: 404 } as const

/** The routes of a process with the role `bridge`. */
export const bridgeRoutes = [
  ...healthRoutes,
  httpRoute('/v1/*', { ...bridge, limiter: 'none', summary: 'The REST API.' }),
  httpRoute('/openapi.json', { ...reference, summary: 'OpenAPI document of the REST API.' }),
  httpRoute('/docs/:asset?', { ...reference, summary: 'Reference page of the REST API.' }),
  httpRoute('*', {
    ...bridge,
    summary: 'The legacy REST API (`/contact`, `/sequences`, …) unless `LEGACY_API` is `off`. Other paths return 404.',
  }),
] satisfies readonly HttpRoute<Health & Pick<ApiServices, 'bridge'>>[]

/** The routes of a process with the role `api`. The first row that matches a path serves it. */
export const apiRoutes: readonly HttpRoute<ApiServices>[] = [
  httpRoute('/graphql', {
    summary: 'GraphQL: queries, mutations, server-sent events, WebSocket, and GraphiQL for a browser.',
    area: 'server',
    readsSession: true,
    sendsItself: true,
    readsQueryItself: true,
    limiter: 'none',
    handle: ({ http }, { graphql }: Pick<ApiServices, 'graphql'>) => graphql(http),
  }),
  ...signInRoutes,
  ...consoleRoutes,
  ...startPageRoutes,
  ...pageRoutes,
  ...formRoutes,
  ...confirmationRoutes,
  ...exportRoutes,
  ...personRoutes,
  ...importRoutes,
  ...documentRoutes,
  ...mediaRoutes,
  ...trackingRoutes,
  ...preferenceRoutes,
  ...bounceRoutes,
  ...devMailRoutes,
  ...bridgeRoutes,
]
