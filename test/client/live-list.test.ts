// @module-tag rows
import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { isLiveList } from '../../src/client/document.ts'
import { createClient, iterate, subscribe } from '../../src/client/index.ts'
import { ContactsChanged } from '../events/live-view.ts'
import { settled } from '../support/settled.ts'
import { newWorld } from '../support/world.ts'
import { newFakeServer, optionsFor } from './fake-server.ts'

interface Change {
  kind: string
  contact: { email: string } | null
  contacts: { nodes: { email: string }[] } | null
}

const textOf = ({ kind, contact, contacts }: Change) =>
  [kind, ...[contact, ...(contacts?.nodes ?? [])].flatMap((each) => each?.email ?? [])].join(' ')

const element = (cursor: string, kind: string) => ({ data: { contactsChanged: { cursor, kind } } })

describe.each(['ws', 'sse'] as const)('a live list over %s', (transport) => {
  it('begins with the list, unless it continues after a cursor', async () => {
    const world = await newWorld()
    await world.contact({ email: 'ada@example.com' })
    await settled(world)
    const client = createClient({ url: `${world.server.url}/graphql`, key: world.mainKey, transport })
    const query = ContactsChanged
    const first = client.iterate<Change>({ query })
    const listed = await first.next()
    expect(listed.value && textOf(listed.value.event)).toBe('LISTED ada@example.com')
    expect(await first.started).toBe(listed.value?.cursor)
    await world.contact({ email: 'bob@example.com' })
    const entered = await first.next()
    expect(entered.value && textOf(entered.value.event)).toBe('ENTERED bob@example.com')
    first.close()
    const second = client.iterate<Change>({ query, after: listed.value?.cursor })
    const again = await second.next()
    expect(again.value && textOf(again.value.event)).toBe('ENTERED bob@example.com')
    second.close()
  })

  it('begins with the list again after a connection that was lost before it, and continues after it', async () => {
    const fake = await newFakeServer()
    let cut = () => {}
    fake.overrides.push(
      (line) => line.cut(),
      (line) => {
        line.next(element('c5', 'LISTED'))
        cut = () => line.cut()
      },
      (line) => line.next(element('c6', 'ENTERED')),
    )
    const events = iterate<Change>({ ...optionsFor(fake, { query: ContactsChanged }), transport })
    expect((await events.next()).value?.event.kind).toBe('LISTED')
    cut()
    expect((await events.next()).value?.event.kind).toBe('ENTERED')
    expect(fake.subscribed.map(({ variables }) => variables['after'])).toEqual([undefined, undefined, 'c5'])
    events.close()
  })

  it('has no cursor until the list is processed, so that a client which stops gets the list again', async () => {
    const fake = await newFakeServer()
    fake.overrides.push((line) => line.next(element('c5', 'LISTED')))
    const failure = new Error('The list could not be stored.')
    const onEvent = () => {
      throw failure
    }
    const subscription = subscribe({ ...optionsFor(fake, { query: ContactsChanged }), transport, onEvent })
    await expect(subscription.done).rejects.toBe(failure)
    expect([await subscription.started, subscription.cursor()]).toEqual(['c5', undefined])
  })
})

describe('a document', () => {
  it('is that of a live list if its root field is one, with any alias', () => {
    const fields = buildSchema(readFileSync('schema.graphql', 'utf8')).getSubscriptionType()?.getFields() ?? {}
    const names = Object.keys(fields).filter((name) =>
      isLiveList(`subscription ($after: String) { x: ${name} { cursor } }`),
    )
    const lists = Object.values(fields).filter(({ type }) => String(type).endsWith('ListChange!'))
    expect(names).toEqual(lists.map(({ name }) => name))
    expect(names.length).toBeGreaterThan(3)
    expect(isLiveList('subscription contactsChanged($after: String) { events(after: $after) { cursor } }')).toBe(false)
  })
})
