import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import { beforeAll, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { announcements } from '../events/announcements.ts'
import { newFullWorld } from '../events/inhabited.ts'
import { callerOf, type Ids, mutationOf } from '../events/mutations.ts'
import { newRewind } from '../support/rewind.ts'
import type { SignedIn } from '../support/session.ts'
import { type AskOptions, isRefused, type World } from '../support/world.ts'
import { listHostileInputs, validValue } from './hostile-values.ts'
import { globalIds } from './lists.ts'

/** A query that reads at least one row if there is one. */
function selection(type: GraphQLOutputType): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (isUnionType(named) || isInterfaceType(named)) return '{ __typename }'
  return 'nodes' in (named as GraphQLObjectType).getFields() ? '{ nodes { __typename } }' : '{ __typename }'
}

function documentOf(field: GraphQLField<unknown, unknown>, around: (body: string) => string): string {
  const variables = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  const args = field.args.map(({ name }) => `${name}: $${name}`).join(', ')
  return `query (${variables}) { ${around(`${field.name}(${args}) ${selection(field.type)}`)} }`
}

/** Returns the valid required arguments. */
const needed = (field: GraphQLField<unknown, unknown>) =>
  Object.fromEntries(
    field.args.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => [name, validValue(type)]),
  )

/** Declares the tests with every n-th of the hostile values of each place, beginning with another one at each place. */
export function testHostileValues(every: number): void {
  let world: World
  let ids: Ids
  let user: SignedIn
  let rewind: () => Promise<void>
  let nodes: Map<string, string>
  let place = 0
  const seen = { query: new Set<string>(), mutation: new Set<string>() }
  const withArguments = (type: GraphQLObjectType) =>
    Object.values(type.getFields()).filter(({ args }) => args.length > 0)
  const query = schema.getQueryType() as GraphQLObjectType
  const mutation = schema.getMutationType() as GraphQLObjectType

  beforeAll(async () => {
    const created = await newFullWorld()
    world = created.world
    ids = created.ids
    user = created.user
    rewind = await newRewind(world)
    const types = (await globalIds(world, 1)).map((id): [string, string] => [
      Buffer.from(id, 'base64url').toString().split(':')[0] as string,
      id,
    ])
    nodes = new Map(types)
  })

  /** Sends queries in groups and returns those that caused an internal error. */
  async function faults(
    questions: Iterable<{ about: string; document: string; variables: object }>,
    caller: AskOptions = {},
  ): Promise<string[]> {
    const found: string[] = []
    const all = [...questions].filter(() => place++ % every === 0)
    for (let start = 0; start < all.length; start += 16) {
      const asked = all.slice(start, start + 16).map(async ({ about, document, variables }) => {
        let answer = await world.ask(document, variables, caller)
        while (isRefused(answer.body)) answer = await world.ask(document, variables, caller)
        const { status, body } = answer
        const [error] = body.errors ?? []
        const code = error?.extensions?.code
        if (status >= 500 || code === 'SERVER_ERROR' || (error && !code)) {
          found.push(`${about}: ${status} ${JSON.stringify(variables).slice(0, 300)}`)
        }
      })
      await Promise.all(asked)
    }
    return found
  }

  it.each(withArguments(query).map((field) => [field.name, field] as const))(
    'in a query of %s causes no internal error',
    async (_name, field) => {
      const document = documentOf(field, (body) => body)
      const questions = [...listHostileInputs(field.args, needed(field), seen.query)].map(({ path, values }) => ({
        about: path,
        document,
        variables: values,
      }))
      expect(await faults(questions)).toEqual([])
    },
  )

  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node') && withArguments(type).length > 0,
  )
  it.each(types.map((type) => [type.name, type] as const))(
    'in a field of a %s causes no internal error',
    async (name, type) => {
      const id = nodes.get(name)
      if (id === undefined) return expect(['Account', 'ApiKey']).toContain(name)
      for (const field of withArguments(type)) {
        const document = documentOf(field, (body) => `node(id: "${id}") { ... on ${name} { ${body} } }`)
        const questions = [...listHostileInputs(field.args, needed(field), seen.query)].map(({ path, values }) => ({
          about: `${field.name} ${path}`,
          document,
          variables: values,
        }))
        expect(await faults(questions)).toEqual([])
      }
    },
  )

  it.each(Object.keys(mutation.getFields()).map((name) => [name]))('in a %s causes no internal error', async (name) => {
    await rewind()
    const announcement = announcements[name] as (typeof announcements)[string]
    const { input, select } = announcement
    const document = mutationOf(name, select)
    const questions = [
      ...listHostileInputs(mutation.getFields()[name]?.args ?? [], { input: input(ids) }, seen.mutation),
    ].map(({ path, values }) => ({
      about: path,
      document,
      variables: values,
    }))
    expect(await faults(questions, callerOf(announcement, user))).toEqual([])
  })
}
