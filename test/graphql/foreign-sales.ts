import type { ForeignAccess, ObjectReferences, Parties } from './foreign.ts'

const customer = { customers: 'customer', contacts: 'contact' } as const
/** The kind of the rows of each list of sales, and the kinds to which its filter refers. */
const lists = {
  customers: ['customer', { contacts: 'contact' }],
  orders: ['order', customer],
  transactions: [
    'transaction',
    { ...customer, orders: 'order', invoices: 'invoice', subscriptions: 'billingSubscription' },
  ],
  invoices: ['invoice', { ...customer, orders: 'order' }],
  creditNotes: ['creditNote', { ...customer, orders: 'order', invoices: 'invoice' }],
  billingSubscriptions: ['billingSubscription', customer],
} as const satisfies Record<string, readonly [keyof ObjectReferences, Readonly<Record<string, keyof ObjectReferences>>]>

function filtersOf(name: keyof typeof lists, { own, foreign, form }: Parties) {
  const [kind, relations] = lists[name]
  const parts = (operator: string) =>
    Object.entries(relations).map(([field, other]) => ({ [field]: { [operator]: [form(foreign[other])] } }))
  const paths = (operator: string) => Object.keys(relations).map((field) => `${field}.${operator}`)
  const none = { nodes: [], totalCount: 0 }
  const mine = { nodes: [{ id: own[kind].id }], totalCount: 1 }
  return [
    {
      paths: ['id.eq', 'id.in', 'id.ne', ...paths('all'), ...paths('any')],
      filter: {
        or: [
          { id: { in: [form(foreign[kind])], eq: form(foreign[kind]), ne: form(foreign[kind]) } },
          ...parts('all'),
          ...parts('any'),
        ],
      },
      comes: none,
    },
    { paths: paths('none'), filter: { id: { in: [form(own[kind])] }, and: parts('none') }, comes: mine },
  ]
}

/** The lists of sales and their exports, with ids of another account in their filters. */
export function listForeignSales(parties: Parties): Readonly<Record<string, readonly ForeignAccess[]>> {
  const names = Object.keys(lists) as (keyof typeof lists)[]
  const exported = names.flatMap((name) => {
    const field = name === 'billingSubscriptions' ? 'subscriptions' : name
    return filtersOf(name, parties).map(({ paths, filter }) => ({
      names: paths.map((path) => `filter.${field}.${path}`),
      args: { list: field.replace(/[A-Z]/g, '_$&').toUpperCase(), filter: { [field]: filter } },
      select: '__typename',
      comes: { __typename: 'ExportLink' },
    }))
  })
  const read = names.map((name) => [
    name,
    filtersOf(name, parties).map(({ paths, filter, comes }) => ({
      names: paths.map((path) => `filter.${path}`),
      args: { filter },
      select: 'nodes { id } totalCount',
      comes,
    })),
  ])
  const summed = (['order', 'transaction', 'invoice', 'creditNote'] as const).map((kind) => [
    `${kind}Sums`,
    filtersOf(`${kind}s`, parties).map(({ paths, filter, comes }) => ({
      names: paths.map((path) => `filter.${path}`),
      args: { filter },
      select: 'count',
      comes: comes.totalCount === 0 ? [] : [{ count: comes.totalCount }],
    })),
  ])
  return { ...Object.fromEntries([...read, ...summed]), exportLink: exported }
}
