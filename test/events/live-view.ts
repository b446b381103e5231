import type { Server } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { type Following, followEvents } from './stream.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a result
type Answer = any

/** The subscription to a list of contacts, with what tests compare. */
export const ContactsChanged = `subscription ($filter: ContactFilterInput, $after: String) {
  contactsChanged(filter: $filter, after: $after) { cursor kind contactId totalCount contact { id email }
    contacts(first: 100) { totalCount nodes { id email } } } }`

/** A subscription to a list, with the changes as short texts, such as `ENTERED ada@example.com 3`. */
export interface Followed extends Following {
  /** Waits until this number of changes was received. */
  changes(count: number): Promise<string[]>
}

/** Subscribes to a list of contacts. */
export async function followContacts(
  world: World,
  filter?: object,
  { after, key = world.mainKey, server = world.server }: { after?: string; key?: string; server?: Server } = {},
): Promise<Followed> {
  const following = await followEvents({ server, key }, ContactsChanged, { variables: { filter, after } })
  const text = ({ data: { contactsChanged: change } }: Answer) =>
    [
      change.kind,
      change.contact?.email.split('@')[0] ?? change.contactId ?? change.contacts.nodes.map(nameOf).sort().join('+'),
      change.totalCount,
    ].join(' ')
  return { ...following, changes: async (count) => (await following.upTo(count)).map(text) }
}

const nameOf = ({ email }: { email: string }) => email.split('@')[0]

/** Applies a change to the IDs that a client holds, as the documentation says. */
export function applyChange(held: ReadonlySet<string>, { kind, contactId, contacts }: Answer): Set<string> {
  if (kind === 'LISTED') return new Set(contacts.nodes.map(({ id }: { id: string }) => id))
  const next = new Set(held)
  if (kind === 'LEFT') next.delete(contactId)
  else next.add(contactId)
  return next
}
