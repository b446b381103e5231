import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import type { Client } from 'urql'
import { readCampaignSearch } from './campaigns/campaign-search.ts'
import { readCampaignsSearch } from './campaigns/campaigns-search.ts'
import { readContactsSearch } from './contacts/contacts-search.ts'
import { readFormSearch } from './forms/form-search.ts'
import { type ScreenQuery, startQuery } from './graph/first-query.ts'
import { readMediaSearch } from './media/media-search.ts'
import { readSalesSearch } from './sales/sales-search.ts'
import { readSequenceSearch } from './sequences/sequence-search.ts'
import { readSettingsSearch } from './settings/settings-search.ts'
import { readPage } from './shared/tables/use-page.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound, ScreenError } from './shell/problem.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ScreenError })

/** A screen's module. Its query is started before the screen is rendered. */
interface ScreenModule {
  readonly screenQuery?: (address: {
    readonly params: Readonly<Record<string, string>>
    readonly search: object
  }) => ScreenQuery
}

/** A screen at a path, loaded with its first visit. `validateSearch` reads what its address contains besides. */
const screen = <const Path extends string, Module, Name extends keyof Module & string, Search extends object = object>(
  path: Path,
  load: () => Promise<Module>,
  name: Name,
  validateSearch: (search: Record<string, unknown>) => Search = () => ({}) as Search,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(load as () => Promise<Record<string, RouteComponent>>, name),
    validateSearch,
    staticData: { load: load as () => Promise<ScreenModule> },
  })

/** The screens. */
export const router = createRouter({
  routeTree: root.addChildren([
    screen('/', () => import('./overview/overview-screen.tsx'), 'OverviewScreen'),
    screen('/contacts', () => import('./contacts/contacts-screen.tsx'), 'ContactsScreen', readContactsSearch),
    screen('/contacts/import', () => import('./imports/import-screen.tsx'), 'ImportScreen'),
    screen('/contacts/$id', () => import('./contacts/contact-screen.tsx'), 'ContactScreen'),
    screen('/campaigns', () => import('./campaigns/campaigns-screen.tsx'), 'CampaignsScreen', readCampaignsSearch),
    screen('/campaigns/$id', () => import('./campaigns/campaign-screen.tsx'), 'CampaignScreen', readCampaignSearch),
    screen('/segments', () => import('./segments/segments-screen.tsx'), 'SegmentsScreen', readPage),
    screen('/segments/$id', () => import('./segments/segment-screen.tsx'), 'SegmentScreen'),
    screen('/sequences', () => import('./sequences/sequences-screen.tsx'), 'SequencesScreen', readPage),
    screen('/sequences/$id', () => import('./sequences/sequence-screen.tsx'), 'SequenceScreen', readSequenceSearch),
    screen('/forms', () => import('./forms/forms-screen.tsx'), 'FormsScreen', readPage),
    screen('/forms/$id', () => import('./forms/form-screen.tsx'), 'FormScreen', readFormSearch),
    screen('/forms/$id/confirmation', () => import('./confirmations/form-message.tsx'), 'FormMessageScreen'),
    screen('/funnels', () => import('./funnels/funnels-screen.tsx'), 'FunnelsScreen', readPage),
    screen('/funnels/$id', () => import('./funnels/funnel-screen.tsx'), 'FunnelScreen'),
    screen('/funnels/$id/confirmation', () => import('./confirmations/funnel-message.tsx'), 'FunnelMessageScreen'),
    screen('/funnels/$id/steps/$stepId', () => import('./funnels/step-screen.tsx'), 'StepScreen'),
    screen('/media', () => import('./media/media-screen.tsx'), 'MediaScreen', readMediaSearch),
    screen('/brand', () => import('./brand/brand-screen.tsx'), 'BrandScreen'),
    screen('/sales', () => import('./sales/sales-screen.tsx'), 'SalesScreen', readSalesSearch),
    screen('/settings', () => import('./settings/settings-screen.tsx'), 'SettingsScreen', readSettingsSearch),
    screen('/developer', () => import('./developer/developer-screen.tsx'), 'DeveloperScreen'),
  ]),
  basepath: '/console',
  scrollRestoration: true,
})

/** Loads the first screen and starts its query while the frame is rendered. */
export async function startFirstScreen(client: Client): Promise<void> {
  const { staticData, params, search } = router.matchRoutes(router.latestLocation).at(-1) ?? {}
  const { screenQuery } = (await staticData?.load?.()) ?? {}
  if (screenQuery) startQuery(client, screenQuery({ params: { ...params }, search: { ...search } }))
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    readonly load?: () => Promise<ScreenModule>
  }
  interface Register {
    router: typeof router
  }
}
