import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { expect } from 'vitest'
import type { Scope } from '../../src/kernel/scopes.ts'
import { schema } from '../../src/server/schema.ts'
import type { AskOptions, World } from '../support/world.ts'
import { tables } from './lists.ts'
import { exceptions, type Readers, readable, rootReaders } from './readable.ts'

export type Shown = Record<string, unknown>

/** The scopes of a type. Connections and edges have those of their nodes; payloads contain facts of the call. */
export function readersOf(name: string): Readers | undefined {
  const row = /^(.*?)(?:Connection|Edge)$/.exec(name)?.[1]
  if (name.endsWith('Payload')) return 'parent'
  return readable[row ?? name]
}

const allows = (readers: Readers, scopes: readonly Scope[]) =>
  readers === 'parent' ||
  readers === 'any key' ||
  (Array.isArray(readers) && readers.some((each) => scopes.includes(each)))

/** Returns the objects of a response, selected with `__typename`, that a key with these scopes must not read. */
export function leaksIn(value: unknown, via: string, scopes: readonly Scope[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leaksIn(each, via, scopes))
  if (typeof value !== 'object' || value === null) return []
  const { __typename: name, ...fields } = value as Shown
  // JSON, such as the content of a page.
  if (typeof name !== 'string') return []
  const readers = readersOf(name)
  if (readers === undefined) return [`${name} is of no one: add it to readable.ts`]
  const exception = exceptions[via]
  const isExcepted = !allows(readers, scopes) && exception !== undefined && allows(exception.readers, scopes)
  if (!isExcepted && !allows(readers, scopes)) return [`${via} shows ${name}`]
  return Object.entries(fields).flatMap(([field, shown]) => {
    if (shown === null) return []
    if (isExcepted && typeof shown !== 'object' && !exception.fields.includes(field))
      return [`${via} shows ${name}.${field}`]
    return leaksIn(shown, `${name}.${field}`, scopes)
  })
}

export const fieldsOf = (type: GraphQLObjectType) => Object.values(type.getFields())
export const isAskable = ({ args }: GraphQLField<unknown, unknown>) => !args.some(isRequiredArgument)

/** Returns a field with arguments that select a small number of rows. */
export function pageOf({ name, args }: GraphQLField<unknown, unknown>, size = 2): string {
  const input = args.flatMap((arg) => {
    // A timeline has entries of many types, and each has fields of its own.
    if (arg.name === 'first') return [`first: ${name === 'timeline' ? 60 : size}`]
    return arg.name === 'groupBy' ? ['groupBy: UTM_SOURCE'] : []
  })
  return input.length > 0 ? `${name}(${input.join()})` : name
}

/** Returns a selection of all leaf fields of a type and of its objects, up to this depth. */
export function allOf(type: GraphQLObjectType, depth: number): string {
  const parts = fieldsOf(type).flatMap((field) => {
    const to = getNamedType(field.type)
    if (!isAskable(field)) return []
    if (isLeafType(to)) return [field.name]
    return isObjectType(to) && depth > 0 ? [`${pageOf(field)} { ${allOf(to, depth - 1)} }`] : []
  })
  return ['__typename', ...parts].join(' ')
}

/** Returns the arguments of root fields with required arguments, with IDs of the account. */
export async function rootArguments({ accountId, rows }: World): Promise<Record<string, string>> {
  // Campaigns that were sent are not checked.
  const [draft] = await rows<{ id: number }>(
    "SELECT min(id) AS id FROM campaign WHERE account_id = $1 AND status = 'DRAFT'",
    [accountId],
  )
  const [done] = await rows<{ id: number }>('SELECT min(id) AS id FROM contact_import WHERE account_id = $1', [
    accountId,
  ])
  const found: Record<string, string> = {
    contactImportFailedRows: `(importId: ${done?.id})`,
    campaignCheck: `(id: ${draft?.id})`,
    exportLink: '(list: CONTACTS)',
    search: '(text: "own")',
    revenueSeries: '(groupBy: FUNNEL)',
    salesAmount: '(period: ALL)',
    webhookDryRun: '(type: WEBHOOK_TEST)',
  }
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const table = tables[getNamedType(field.type).name as keyof typeof tables]
    if (!table || !field.args.some(({ name }) => name === 'id' || name === 'ref')) continue
    const [row] = await rows<{ id: number }>(`SELECT min(id) AS id FROM ${table} WHERE account_id = $1`, [accountId])
    found[field.name] = ['contact', 'order'].includes(field.name) ? `(ref: { id: ${row?.id} })` : `(id: ${row?.id})`
  }
  return found
}

interface Step {
  /** Path of fields from the root with their arguments. */
  readonly path: readonly string[]
  readonly type: GraphQLObjectType
  /** Last field of the path: `Parent.field`. */
  readonly via: string
}

/**
 * Traverses all queries as a key or a user, every field from each parent that the caller can read. Returns the visited fields as
 * `Parent.field`, the visited objects with their leaf fields, and the objects that should not have been readable.
 */
export async function walk(
  world: World,
  {
    caller,
    scopes,
    roots,
  }: { caller: AskOptions; scopes: readonly Scope[] | undefined; roots: Record<string, string> },
): Promise<{ reached: Set<string>; shown: Shown[]; leaks: string[] }> {
  const reached = new Set<string>()
  const all: Shown[] = []
  const leaks: string[] = []
  const steps: Step[] = []
  const enter = (via: string, step: Omit<Step, 'via'>) => {
    if (reached.has(via)) return
    reached.add(via)
    steps.push({ ...step, via })
  }
  const ask = async (document: string) => {
    const { body } = await world.ask(document, {}, caller)
    for (const { path, extensions, message } of body.errors ?? []) {
      expect(extensions.code, `${document}: ${message}`).toBe('FORBIDDEN')
      // A non-nullable field would set its parent to null and hide the parent's other fields.
      if (path.length > 1)
        expect(at(body.data, path.slice(0, -1)), `${document}: ${path} takes its parent along`).not.toBeNull()
    }
    return body.data as Shown | null
  }
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const call = roots[field.name] ? `${field.name}${roots[field.name]}` : pageOf(field)
    const type = getNamedType(field.type)
    if (field.name === 'node' || field.name === 'nodes') continue
    const shown = (await ask(`{ ${call} ${isObjectType(type) ? '{ __typename }' : ''} }`))?.[field.name] ?? null
    if (shown === null) continue
    const readers = rootReaders[field.name] ?? readersOf(type.name)
    if (scopes && !allows(readers ?? 'full access', scopes)) leaks.push(`Query.${field.name} shows ${type.name}`)
    if (isObjectType(type)) enter(`Query.${field.name}`, { path: [call], type })
    else reached.add(`Query.${field.name}`)
  }
  for (let step = steps.shift(); step; step = steps.shift()) {
    const { path, type, via } = step
    const own = allOf(type, 0)
    const next = fieldsOf(type).filter((field) => isAskable(field) && typesBehind(field).length > 0)
    const inner = `${own} ${next.map((field) => `${pageOf(field)} { __typename }`).join(' ')}`
    const data = await ask(path.reduceRight((body, field) => `{ ${field} ${body} }`, `{ ${inner} }`))
    for (const shown of endsOf(data, path)) {
      all.push(shown)
      if (scopes) leaks.push(...leaksIn(shown, via, scopes))
      for (const field of next) {
        const leadsTo = shown[field.name]
        if (leadsTo === null || (Array.isArray(leadsTo) && leadsTo.length === 0)) continue
        for (const behind of typesBehind(field)) {
          if (isObjectType(getNamedType(field.type)))
            enter(`${type.name}.${field.name}`, { path: [...path, pageOf(field)], type: behind })
          else if (namesIn(leadsTo).includes(behind.name))
            enter(`${type.name}.${field.name} ${behind.name}`, {
              path: [...path, pageOf(field), `__typename ... on ${behind.name}`],
              type: behind,
            })
        }
      }
    }
  }
  return { reached, shown: all, leaks: [...new Set(leaks)] }
}

function at(data: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((value, step) => (value as Record<string | number, unknown> | null)?.[step] ?? null, data)
}

/** Returns the object types that a field leads to. The interface Node leads to all nodes, which other fields lead to. */
function typesBehind(field: GraphQLField<unknown, unknown>): readonly GraphQLObjectType[] {
  const type = getNamedType(field.type)
  if (isObjectType(type)) return [type]
  return isInterfaceType(type) && type.name !== 'Node' ? schema.getPossibleTypes(type) : []
}

/** Returns the types of an object or a list of objects. */
const namesIn = (shown: unknown) => [shown].flat().map((each) => (each as Shown)['__typename'])

/** Returns the objects at the end of a path. */
function endsOf(data: Shown | null, path: readonly string[]): Shown[] {
  let found: unknown[] = [data]
  for (const step of path) {
    const of = /^__typename \.\.\. on (.*)$/.exec(step)?.[1]
    found = of
      ? found.filter((each) => (each as Shown)['__typename'] === of)
      : found.flatMap((each) => (each as Shown | null)?.[step.replace(/\(.*/, '')] ?? [])
  }
  return found as Shown[]
}
