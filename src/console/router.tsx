import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
} from '@tanstack/react-router'
import { readCampaignsSearch } from './campaigns/campaigns-search.ts'
import { readContactsSearch } from './contacts/contacts-search.ts'
import { readFormSearch } from './forms/form-search.ts'
import { readSalesSearch } from './sales/sales-search.ts'
import { readSettingsSearch } from './settings/settings-search.ts'
import { readPage } from './shared/use-page.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound, ScreenError } from './shell/problem.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ScreenError })

const lazy = lazyRouteComponent

/** A screen at a path. `validateSearch` reads what its address contains besides. */
const screen = <const Path extends string, Search extends object = object>(
  path: Path,
  component: RouteComponent,
  validateSearch: (search: Record<string, unknown>) => Search = () => ({}) as Search,
) => createRoute({ getParentRoute: () => root, path, component, validateSearch })

const overview = screen(
  '/',
  lazy(() => import('./overview/overview-screen.tsx'), 'OverviewScreen'),
)
const contacts = screen(
  '/contacts',
  lazy(() => import('./contacts/contacts-screen.tsx'), 'ContactsScreen'),
  readContactsSearch,
)
const contactsImport = screen(
  '/contacts/import',
  lazy(() => import('./imports/import-screen.tsx'), 'ImportScreen'),
)
const contact = screen(
  '/contacts/$id',
  lazy(() => import('./contacts/contact-screen.tsx'), 'ContactScreen'),
)
const campaigns = screen(
  '/campaigns',
  lazy(() => import('./campaigns/campaigns-screen.tsx'), 'CampaignsScreen'),
  readCampaignsSearch,
)
const campaign = screen(
  '/campaigns/$id',
  lazy(() => import('./campaigns/campaign-screen.tsx'), 'CampaignScreen'),
)
const segments = screen(
  '/segments',
  lazy(() => import('./segments/segments-screen.tsx'), 'SegmentsScreen'),
  readPage,
)
const segment = screen(
  '/segments/$id',
  lazy(() => import('./segments/segment-screen.tsx'), 'SegmentScreen'),
)
const sequences = screen(
  '/sequences',
  lazy(() => import('./sequences/sequences-screen.tsx'), 'SequencesScreen'),
  readPage,
)
const sequence = screen(
  '/sequences/$id',
  lazy(() => import('./sequences/sequence-screen.tsx'), 'SequenceScreen'),
)
const forms = screen(
  '/forms',
  lazy(() => import('./forms/forms-screen.tsx'), 'FormsScreen'),
  readPage,
)
const form = screen(
  '/forms/$id',
  lazy(() => import('./forms/form-screen.tsx'), 'FormScreen'),
  readFormSearch,
)
const funnels = screen(
  '/funnels',
  lazy(() => import('./funnels/funnels-screen.tsx'), 'FunnelsScreen'),
  readPage,
)
const funnel = screen(
  '/funnels/$id',
  lazy(() => import('./funnels/funnel-screen.tsx'), 'FunnelScreen'),
)
const funnelStep = screen(
  '/funnels/$id/steps/$stepId',
  lazy(() => import('./funnels/step-screen.tsx'), 'StepScreen'),
)
const sales = screen(
  '/sales',
  lazy(() => import('./sales/sales-screen.tsx'), 'SalesScreen'),
  readSalesSearch,
)
const settings = screen(
  '/settings',
  lazy(() => import('./settings/settings-screen.tsx'), 'SettingsScreen'),
  readSettingsSearch,
)
const developer = screen(
  '/developer',
  lazy(() => import('./developer/developer-screen.tsx'), 'DeveloperScreen'),
)

/** The screens. Each is loaded with its first visit. */
export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    contacts,
    contactsImport,
    contact,
    campaigns,
    campaign,
    segments,
    segment,
    sequences,
    sequence,
    forms,
    form,
    funnels,
    funnel,
    funnelStep,
    sales,
    settings,
    developer,
  ]),
  basepath: '/console',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
