import {
  ChartPie,
  CircleDollarSign,
  CodeXml,
  FileText,
  Funnel,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  Send,
  Settings,
  Users,
} from 'lucide-react'

/** An entry of the navigation and of the command palette. */
interface NavigationEntry {
  readonly to:
    | '/'
    | '/contacts'
    | '/campaigns'
    | '/segments'
    | '/sequences'
    | '/forms'
    | '/funnels'
    | '/sales'
    | '/settings'
    | '/developer'
  readonly label: string
  readonly icon: LucideIcon
  readonly description: string
}

export const navigation: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview', icon: LayoutDashboard, description: 'Figures, and what happens now' },
  { to: '/contacts', label: 'Contacts', icon: Users, description: 'Find, change and tag contacts' },
  { to: '/campaigns', label: 'Campaigns', icon: Send, description: 'Write, check and send campaigns' },
  { to: '/segments', label: 'Segments', icon: ChartPie, description: 'Saved conditions of contacts' },
  {
    to: '/sequences',
    label: 'Sequences',
    icon: ListChecks,
    description: 'Messages and actions that follow each other',
  },
  { to: '/forms', label: 'Forms', icon: FileText, description: 'Questions and answers' },
  { to: '/funnels', label: 'Funnels', icon: Funnel, description: 'Public pages and their conversion' },
  { to: '/sales', label: 'Sales', icon: CircleDollarSign, description: 'Orders, invoices and subscriptions' },
  { to: '/settings', label: 'Settings', icon: Settings, description: 'Account, users, keys, webhooks and domains' },
  { to: '/developer', label: 'Developer', icon: CodeXml, description: 'Events and interfaces' },
]
