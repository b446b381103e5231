import { t } from '@lingui/core/macro'
import {
  ChartPie,
  CircleDollarSign,
  CodeXml,
  FileText,
  Funnel,
  Image,
  LayoutDashboard,
  ListChecks,
  type LucideIcon,
  Palette,
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
    | '/media'
    | '/brand'
    | '/sales'
    | '/settings'
    | '/developer'
  readonly label: string
  readonly icon: LucideIcon
  readonly description: string
}

export const navigation = (): readonly NavigationEntry[] => [
  { to: '/', label: t`Overview`, icon: LayoutDashboard, description: t`Figures, and what happens now` },
  { to: '/contacts', label: t`Contacts`, icon: Users, description: t`Find, change and tag contacts` },
  { to: '/campaigns', label: t`Campaigns`, icon: Send, description: t`Write, check and send campaigns` },
  { to: '/segments', label: t`Segments`, icon: ChartPie, description: t`Saved conditions of contacts` },
  {
    to: '/sequences',
    label: t`Sequences`,
    icon: ListChecks,
    description: t`Messages and actions that follow each other`,
  },
  { to: '/forms', label: t`Forms`, icon: FileText, description: t`Questions and answers` },
  { to: '/funnels', label: t`Funnels`, icon: Funnel, description: t`Public pages and their conversion` },
  { to: '/media', label: t`Media`, icon: Image, description: t`Pictures and files for messages and pages` },
  { to: '/brand', label: t`Brand`, icon: Palette, description: t`Colours, font and logo of messages and pages` },
  { to: '/sales', label: t`Sales`, icon: CircleDollarSign, description: t`Orders, invoices and subscriptions` },
  { to: '/settings', label: t`Settings`, icon: Settings, description: t`Account, users, keys, webhooks and domains` },
  { to: '/developer', label: t`Developer`, icon: CodeXml, description: t`Events and interfaces` },
]
