import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { readCampaignsSearch } from './campaigns/campaigns-search.ts'
import { readContactsSearch } from './contacts/contacts-search.ts'
import { readFormSearch } from './forms/form-search.ts'
import { readSalesSearch } from './sales/sales-search.ts'
import { readSettingsSearch } from './settings/settings-search.ts'
import { readPage } from './shared/use-page.ts'
import { Layout } from './shell/layout.tsx'
import { NotFound, ScreenError } from './shell/problem.tsx'

const root = createRootRoute({ component: Layout, notFoundComponent: NotFound, errorComponent: ScreenError })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-screen.tsx'), 'OverviewScreen'),
})

const contacts = createRoute({
  getParentRoute: () => root,
  path: '/contacts',
  validateSearch: readContactsSearch,
  component: lazyRouteComponent(() => import('./contacts/contacts-screen.tsx'), 'ContactsScreen'),
})

const contactsImport = createRoute({
  getParentRoute: () => root,
  path: '/contacts/import',
  component: lazyRouteComponent(() => import('./imports/import-screen.tsx'), 'ImportScreen'),
})

const contact = createRoute({
  getParentRoute: () => root,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('./contacts/contact-screen.tsx'), 'ContactScreen'),
})

const campaigns = createRoute({
  getParentRoute: () => root,
  path: '/campaigns',
  validateSearch: readCampaignsSearch,
  component: lazyRouteComponent(() => import('./campaigns/campaigns-screen.tsx'), 'CampaignsScreen'),
})

const campaign = createRoute({
  getParentRoute: () => root,
  path: '/campaigns/$id',
  component: lazyRouteComponent(() => import('./campaigns/campaign-screen.tsx'), 'CampaignScreen'),
})

const segments = createRoute({
  getParentRoute: () => root,
  path: '/segments',
  validateSearch: readPage,
  component: lazyRouteComponent(() => import('./segments/segments-screen.tsx'), 'SegmentsScreen'),
})

const segment = createRoute({
  getParentRoute: () => root,
  path: '/segments/$id',
  component: lazyRouteComponent(() => import('./segments/segment-screen.tsx'), 'SegmentScreen'),
})

const sequences = createRoute({
  getParentRoute: () => root,
  path: '/sequences',
  validateSearch: readPage,
  component: lazyRouteComponent(() => import('./sequences/sequences-screen.tsx'), 'SequencesScreen'),
})

const sequence = createRoute({
  getParentRoute: () => root,
  path: '/sequences/$id',
  component: lazyRouteComponent(() => import('./sequences/sequence-screen.tsx'), 'SequenceScreen'),
})

const forms = createRoute({
  getParentRoute: () => root,
  path: '/forms',
  validateSearch: readPage,
  component: lazyRouteComponent(() => import('./forms/forms-screen.tsx'), 'FormsScreen'),
})

const form = createRoute({
  getParentRoute: () => root,
  path: '/forms/$id',
  validateSearch: readFormSearch,
  component: lazyRouteComponent(() => import('./forms/form-screen.tsx'), 'FormScreen'),
})

const funnels = createRoute({
  getParentRoute: () => root,
  path: '/funnels',
  validateSearch: readPage,
  component: lazyRouteComponent(() => import('./funnels/funnels-screen.tsx'), 'FunnelsScreen'),
})

const funnel = createRoute({
  getParentRoute: () => root,
  path: '/funnels/$id',
  component: lazyRouteComponent(() => import('./funnels/funnel-screen.tsx'), 'FunnelScreen'),
})

const funnelStep = createRoute({
  getParentRoute: () => root,
  path: '/funnels/$id/steps/$stepId',
  component: lazyRouteComponent(() => import('./funnels/step-screen.tsx'), 'StepScreen'),
})

const sales = createRoute({
  getParentRoute: () => root,
  path: '/sales',
  validateSearch: readSalesSearch,
  component: lazyRouteComponent(() => import('./sales/sales-screen.tsx'), 'SalesScreen'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: readSettingsSearch,
  component: lazyRouteComponent(() => import('./settings/settings-screen.tsx'), 'SettingsScreen'),
})

const developer = createRoute({
  getParentRoute: () => root,
  path: '/developer',
  component: lazyRouteComponent(() => import('./developer/developer-screen.tsx'), 'DeveloperScreen'),
})

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
