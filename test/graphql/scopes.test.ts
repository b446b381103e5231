import { getNamedType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { declarationOf, eventTypes } from '../../src/events/index.ts'
import { may, type Scope, scopes, scopesOfRole } from '../../src/kernel/scopes.ts'
import { schema } from '../../src/server/schema.ts'
import { announcements } from '../events/announcements.ts'
import { mutationOf } from '../events/mutations.ts'
import { newRewind } from '../support/rewind.ts'
import { asUser, signIn } from '../support/session.ts'
import type { World } from '../support/world.ts'
import { globalIds } from './lists.ts'
import { readable } from './readable.ts'
import { createTimelines, whileSuppressed } from './timelines.ts'
import { newTwins } from './twin-accounts.ts'
import { allOf, leaksIn, readersOf, rootArguments, walk } from './walk.ts'

const objects = Object.values(schema.getTypeMap()).filter(
  (type) =>
    isObjectType(type) && !type.name.startsWith('__') && !['Query', 'Mutation', 'Subscription'].includes(type.name),
)

let accounts: Awaited<ReturnType<typeof newTwins>>
let world: World
let roots: Record<string, string>
/** Returns the global IDs of the account and of its key. */
let own: string[]
beforeAll(async () => {
  accounts = await newTwins()
  world = accounts.world
  await createTimelines(world)
  // The payload of a webhook message, stored as that of an event of a contact.
  await world.rows("UPDATE webhook_delivery SET needs = '{contacts:read}' WHERE account_id = $1", [world.accountId])
  // Objects that the other accounts here do not have.
  await world.rows('UPDATE enrolment SET last_stage_id = next_stage_id WHERE account_id = $1', [world.accountId])
  await world.rows(
    `UPDATE sequence_stage SET action = action || jsonb_build_object('sequenceId', sequence_id)
     WHERE account_id = $1 AND stage_type = 'ACTION'`,
    [world.accountId],
  )
  roots = await rootArguments(world)
  const idOf = (type: string, id: number) => Buffer.from(`${type}:${id}`).toString('base64url')
  own = [idOf('Account', world.accountId), idOf('ApiKey', accounts.ids.key)]
})

describe('the scopes of types', () => {
  it('are defined for every object type, and for no other', () => {
    expect(objects.map(({ name }) => name).filter((name) => readersOf(name) === undefined)).toEqual([])
    expect(Object.keys(readable).filter((name) => schema.getType(name) === undefined)).toEqual([])
  })
})

describe('a traversal of all queries', { timeout: 120_000 }, () => {
  it('visits every field that returns an object', async () => {
    const { reached } = await whileSuppressed(world, () => walk(world, { caller: {}, scopes: undefined, roots }))
    // Fields that only a user reaches.
    const { reached: ofUser } = await walk(world, { caller: asUser(accounts.user), scopes: undefined, roots })
    const all = objects
      .filter(({ name }) => !/(?:Payload|Event|Progress|ListChange)$/.test(name))
      .flatMap((type) =>
        isObjectType(type)
          ? Object.values(type.getFields())
              .filter((field) => isObjectType(getNamedType(field.type)))
              .map((field) => `${type.name}.${field.name}`)
          : [],
      )
    // A series needs a figure, and with it another scope: test/figures/scopes.test.ts reads all of them. A facet needs a field,
    // and the scope of its list: test/graphql/facets.test.ts.
    const needsArgument = (field: string) => /[.](series|facet)$|^(Series|Facet)[.]/.test(field)
    expect(all.filter((field) => !reached.has(field) && !ofUser.has(field) && !needsArgument(field))).toEqual([])
  })

  it.each(scopes)('returns to a key of %s what that scope covers', async (scope) => {
    const caller = { key: await world.key({ scopes: [scope] }) }
    const { leaks } = await walk(world, { caller, scopes: [scope], roots })
    expect(leaks).toEqual([])
  })

  it.each(['EDITOR', 'ANALYST'] as const)('returns to a user what the role covers: %s', async (role) => {
    const scopes = scopesOfRole(role) ?? []
    const { reached, leaks } = await walk(world, { caller: asUser(await signIn(world, role)), scopes, roots })
    expect(leaks).toEqual([])
    expect(reached).toContain('User.sessions')
  })

  it.each(scopes)('returns to a key of %s by `node` and `nodes` what that scope covers', async (scope) => {
    const key = await world.key({ scopes: [scope] })
    const ids = [...(await globalIds(world, 1)), ...own]
    const selection = objects.flatMap((type) =>
      isObjectType(type) && 'createdAt' in type.getFields() && type.getInterfaces().some(({ name }) => name === 'Node')
        ? [`... on ${type.name} { createdAt }`]
        : [],
    )
    const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ${selection.join(' ')} } }`
    const { body } = await world.ask(document, { ids }, { key })
    expect(leaksIn(body.data.nodes, 'Query.nodes', [scope])).toEqual([])
    const shown = body.data.nodes.filter((node: unknown) => node !== null).length
    expect(shown > 0).toBe(scope.endsWith(':read'))
    for (const id of ids) {
      const one = await world.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id }, { key })
      expect(leaksIn(one.body.data.node, 'Query.node', [scope])).toEqual([])
    }
  })
})

describe('an event', () => {
  it.each(scopes)('shows a key of events:read and %s what these scopes cover', async (scope) => {
    const held: Scope[] = ['events:read', scope]
    const key = await world.key({ scopes: held })
    for (const type of eventTypes()) {
      const { needs } = declarationOf(type)
      const name = (schema.getType('Event') as never as { resolveType(event: { type: string }): string }).resolveType({
        type,
      })
      const kind = schema.getType(name)
      if (!isObjectType(kind)) throw new Error(`${name} is no object type.`)
      const document = `subscription { events { __typename ... on ${name} { ${allOf(kind, 1)} } } }`
      const variables = { document, type: type.replace('.', '_').toUpperCase() }
      const dryRun =
        'query ($type: EventType!, $document: String) { webhookDryRun(type: $type, document: $document) { body } }'
      const { body } = await world.ask(dryRun, variables, { key })
      if (!may({ scopes: held }, needs)) {
        expect(body, type).toMatchObject({
          data: { webhookDryRun: null },
          errors: [{ extensions: { code: 'FORBIDDEN' } }],
        })
        continue
      }
      const { data } = JSON.parse(body.data.webhookDryRun.body)
      expect(leaksIn(data.events, 'Subscription.events', held), type).toEqual([])
    }
  })
})

describe('a mutation', () => {
  let rewind: () => Promise<void>
  beforeAll(async () => {
    rewind = await newRewind(world)
  })

  it.each(Object.keys(announcements))('%s returns only what its key can read', async (field) => {
    await rewind()
    const { input, isOfUser } = announcements[field] as (typeof announcements)[string]
    const payload = getNamedType(schema.getMutationType()?.getFields()[field]?.type)
    if (!isObjectType(payload)) throw new Error(`${field} answers no object.`)
    const document = mutationOf(field, allOf(payload, 2))
    const held: Scope[] = []
    for (;;) {
      const key = held.length === 0 ? await world.key({ scopes: ['mail:read'] }) : await world.key({ scopes: held })
      const { body } = await world.ask(document, { input: input(accounts.ids) }, { key })
      const refusal = body.errors?.find(({ path }: { path: unknown[] }) => path?.length === 1)
      if (!refusal) {
        const shown = body.data[field]
        expect(leaksIn(shown, `Mutation.${field}`, held)).toEqual([])
        for (const error of body.errors ?? []) expect(error.extensions.code).toBe('FORBIDDEN')
        return
      }
      expect(refusal.extensions.code, refusal.message).toBe('FORBIDDEN')
      const { scope } = refusal.extensions
      if (isOfUser) return expect(refusal.message).toMatch(/^Only a user who is signed in has/)
      // A key with full access reads everything.
      if (scope === 'FULL_ACCESS') return expect(refusal.message).toContain('full access')
      expect(refusal.message).toBe(`This key lacks the scope ${scope}.`)
      const missing = scope.toLowerCase().replace('_', ':')
      expect(held).not.toContain(missing)
      held.push(missing as Scope)
    }
  })
})
