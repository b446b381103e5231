import { readFileSync } from 'node:fs'
import type { World } from '../../support/world.ts'

/** The paths of the router, as it writes them. */
export function routes(): string[] {
  const source = readFileSync('src/console/router.tsx', 'utf8')
  return [...source.matchAll(/\bscreen\('([^']+)'/g)].map(([, path = '']) => path)
}

/** The addresses that are crawled, by the path of their screen. */
export type Places = Readonly<Record<string, readonly string[]>>

type Nodes = { readonly nodes: readonly { readonly id: string; readonly steps?: readonly { readonly id: string }[] }[] }

const firstIds = `{
  contacts(first: 1, filter: { hasOrders: true }) { nodes { id } }
  sent: campaigns(first: 1, filter: { status: [SENT] }) { nodes { id } }
  draft: campaigns(first: 1, filter: { status: [DRAFT] }) { nodes { id } }
  scheduled: campaigns(first: 1, filter: { status: [SCHEDULED] }) { nodes { id } }
  segments(first: 1) { nodes { id } }
  sequences(first: 1) { nodes { id } }
  forms(first: 1) { nodes { id } }
  funnels(first: 1) { nodes { id steps { id } } }
}`

/** Returns the addresses of all screens of an account with data. */
export async function placesOf(world: World): Promise<Places> {
  return { ...lists, ...(await objectsOf(world)) }
}

/** Returns the addresses of the screens of objects, in the states that have a screen of their own. */
export async function objectsOf(world: World): Promise<Places> {
  const found = (await world.run(firstIds)) as Record<string, Nodes>
  const idsOf = (...names: string[]) => names.flatMap((name) => found[name]?.nodes.map(({ id }) => id) ?? [])
  const [form = ''] = idsOf('forms')
  const [funnel] = found['funnels']?.nodes ?? []
  return {
    '/contacts/$id': idsOf('contacts').map((id) => `/contacts/${id}`),
    '/campaigns/$id': [
      ...idsOf('sent').map((id) => `/campaigns/${id}`),
      ...idsOf('draft').flatMap((id) => [`/campaigns/${id}?step=content`, `/campaigns/${id}?step=review`]),
      ...idsOf('scheduled').map((id) => `/campaigns/${id}`),
    ],
    '/segments/$id': idsOf('segments').map((id) => `/segments/${id}`),
    '/sequences/$id': idsOf('sequences').map((id) => `/sequences/${id}`),
    '/forms/$id': [`/forms/${form}?tab=build`],
    '/forms/$id/confirmation': [`/forms/${form}/confirmation`],
    '/funnels/$id': [`/funnels/${funnel?.id}`],
    '/funnels/$id/confirmation': [`/funnels/${funnel?.id}/confirmation`],
    '/funnels/$id/steps/$stepId': [`/funnels/${funnel?.id}/steps/${funnel?.steps?.[0]?.id}`],
  }
}

/** Returns the addresses of all screens of an account without data, and of objects that were created but not edited. */
export async function emptyPlacesOf(world: World): Promise<Places> {
  const [contact, segment, sequence] = [
    await world.contact(),
    await world.segment({ city: { eq: 'x' } }),
    await world.sequence(),
  ]
  const { campaignCreate } = await world.run(
    'mutation { campaignCreate(input: { name: "Plain" }) { campaign { id } } }',
  )
  const { formCreate } = await world.run('mutation { formCreate(input: { name: "Plain" }) { form { id } } }')
  const funnel = await world.funnel()
  const step = await world.step(funnel)
  const blank = await world.funnel()
  const form = `/forms/${formCreate.form.id}`
  return {
    '/contacts/$id': [`/contacts/${contact.id}`],
    '/campaigns/$id': [`/campaigns/${campaignCreate.campaign.id}?step=content`],
    '/segments/$id': [`/segments/${segment.id}`],
    '/sequences/$id': [`/sequences/${sequence.id}`],
    '/forms/$id': [`${form}?tab=build`],
    '/forms/$id/confirmation': [`${form}/confirmation`],
    '/funnels/$id': [`/funnels/${funnel.id}`, `/funnels/${blank.id}`],
    '/funnels/$id/confirmation': [`/funnels/${funnel.id}/confirmation`],
    '/funnels/$id/steps/$stepId': [`/funnels/${funnel.id}/steps/${step.id}`],
  }
}

/** The screens that need no object. */
export const lists: Places = {
  '/': [''],
  '/contacts': ['/contacts'],
  '/contacts/import': ['/contacts/import'],
  '/campaigns': ['/campaigns'],
  '/segments': ['/segments'],
  '/sequences': ['/sequences'],
  '/forms': ['/forms'],
  '/funnels': ['/funnels'],
  '/media': ['/media'],
  '/brand': ['/brand'],
  '/sales': ['/sales'],
  '/settings': ['/settings'],
  '/developer': ['/developer'],
}
