import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import {
  ChartPie,
  FileText,
  Funnel,
  Image,
  ListChecks,
  type LucideIcon,
  Moon,
  Receipt,
  Search,
  Send,
  ShoppingCart,
  Tag,
  User,
} from 'lucide-react'
import { useState } from 'react'
import { useQuery } from 'urql'
import { FindDocument, type FindQuery } from '../generated/shell.documents.ts'
import { navigation } from './navigation.ts'

type Result = NonNullable<FindQuery['search']>[number]
type Navigate = ReturnType<typeof useNavigate>

/** How a kind of objects is called and shown, and the screen of an object. */
interface Kind {
  readonly label: MessageDescriptor
  readonly icon: LucideIcon
  readonly open: (navigate: Navigate, result: Result) => unknown
}

const kinds: Readonly<Record<Result['kind'], Kind>> = {
  CONTACT: {
    label: msg`Contact`,
    icon: User,
    open: (navigate, { node: { id } }) => navigate({ to: '/contacts/$id', params: { id } }),
  },
  CAMPAIGN: {
    label: msg`Campaign`,
    icon: Send,
    open: (navigate, { node: { id } }) => navigate({ to: '/campaigns/$id', params: { id } }),
  },
  SEQUENCE: {
    label: msg`Sequence`,
    icon: ListChecks,
    open: (navigate, { node: { id } }) => navigate({ to: '/sequences/$id', params: { id } }),
  },
  SEGMENT: {
    label: msg`Segment`,
    icon: ChartPie,
    open: (navigate, { node: { id } }) => navigate({ to: '/segments/$id', params: { id } }),
  },
  FORM: {
    label: msg`Form`,
    icon: FileText,
    open: (navigate, { node: { id } }) => navigate({ to: '/forms/$id', params: { id } }),
  },
  FUNNEL: {
    label: msg`Funnel`,
    icon: Funnel,
    open: (navigate, { node: { id } }) => navigate({ to: '/funnels/$id', params: { id } }),
  },
  ORDER: {
    label: msg({ message: 'Order', context: 'purchase' }),
    icon: ShoppingCart,
    open: (navigate, { title }) => navigate({ to: '/sales', search: { q: title } }),
  },
  // The screen of a contact has its invoices.
  INVOICE: {
    label: msg`Invoice`,
    icon: Receipt,
    open: (navigate, { node }) =>
      'contact' in node && node.contact
        ? navigate({ to: '/contacts/$id', params: { id: node.contact.id } })
        : navigate({ to: '/sales' }),
  },
  TAG: {
    label: msg`Tag`,
    icon: Tag,
    open: (navigate, { node }) =>
      navigate({
        to: '/contacts',
        search: { where: [{ field: 'tags', op: 'any', value: 'databaseId' in node ? [String(node.databaseId)] : [] }] },
      }),
  },
  MEDIA: {
    label: msg`Media file`,
    icon: Image,
    open: (navigate, { title }) => navigate({ to: '/media', search: { q: title } }),
  },
}

const searchAfterMs = 250
const minCharacters = 2

/** Screens and commands by their names, and the objects of the account whose names contain the words. */
export function Palette() {
  const navigate = useNavigate()
  const { toggleColorScheme } = useMantineColorScheme()
  const [text, setText] = useState('')
  const words = text.trim()
  const [term] = useDebouncedValue(words, searchAfterMs)
  const isSearched = term.length >= minCharacters
  const [{ data, fetching }] = useQuery({
    query: FindDocument,
    variables: { text: term.slice(0, 200) },
    pause: !isSearched,
    requestPolicy: 'cache-and-network',
  })
  // The answer to earlier words is no answer.
  const isAnswered = term === words && !(isSearched && fetching)
  const found = isSearched && isAnswered ? (data?.search ?? []) : []
  const commands: SpotlightActionData[] = [
    ...navigation().map(({ to, label, description, icon: Icon }) => ({
      id: to,
      label,
      description,
      leftSection: <Icon size={17} />,
      onClick: () => void navigate({ to }),
    })),
    {
      id: 'colours',
      label: t`Switch light and dark colours`,
      leftSection: <Moon size={17} />,
      onClick: toggleColorScheme,
    },
  ]
  const objects = found.map((result): SpotlightActionData => {
    const { label, icon: Icon, open } = kinds[result.kind]
    return {
      id: result.node.id,
      label: result.title,
      description: [i18n._(label), result.detail !== result.title && result.detail].filter(Boolean).join(' · '),
      leftSection: <Icon size={17} />,
      onClick: () => void open(navigate, result),
    }
  })
  const contacts: SpotlightActionData = {
    id: 'contacts',
    label: t`List contacts that match “${words}”`,
    leftSection: <Search size={17} />,
    onClick: () => void navigate({ to: '/contacts', search: { q: words } }),
  }
  return (
    <Spotlight
      shortcut={['mod + K', '/']}
      query={text}
      onQueryChange={setText}
      highlightQuery
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': t`Search` } }}
      nothingFound={t`Searching…`}
      searchProps={{ placeholder: t`Find or go to…`, 'aria-label': t`Search`, leftSection: <Search size={17} /> }}
      filter={() => {
        if (words === '') return commands
        const named = commands.filter(({ label }) => label?.toLowerCase().includes(words.toLowerCase()))
        // Nothing is below the objects until they are found, so that the first entry stays the first.
        return [...named, ...objects, ...(isAnswered ? [contacts] : [])]
      }}
      actions={[...commands, ...objects]}
    />
  )
}
