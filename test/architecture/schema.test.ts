import { readFileSync } from 'node:fs'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { releasedSchemas } from '../../.config/schema-changes.ts'

interface Described {
  name: string
  description?: string | null | undefined
}

const sdl = readFileSync('schema.graphql', 'utf8')
const schema = buildSchema(sdl)
const released = releasedSchemas()

describe('schema.graphql', () => {
  it('describes every type, field, argument, enum value and directive', () => {
    const types = Object.values(schema.getTypeMap()).filter(
      (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
    )
    const directives = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive))
    expect(types.length).toBeGreaterThan(0)
    expect([
      ...types.flatMap(silentPartsOf),
      ...directives.flatMap((directive) => silent(`@${directive.name}`, [directive, ...directive.args])),
    ]).toEqual([])
  })

  it('has a description', () => {
    expect(schema.description).toMatch(/\S/)
  })

  it('names the earliest date of removal in every deprecation', () => {
    expect([...deprecationsOf(schema)].filter(([, reason]) => reason !== null && !dateIn(reason))).toEqual([])
  })

  // The schema of a version is a promise from its release on; the names of one that was not released may change.
  it('has every part of the released schemas, except those whose date of removal has passed', () => {
    expect(released.flatMap(({ sdl }) => findEarlyRemovals(buildSchema(sdl), schema, new Date()))).toEqual([])
  })

  it('has no breaking change since a release that is not in CHANGELOG.md under “### Breaking”', () => {
    const announced = breakingNotes(readFileSync('CHANGELOG.md', 'utf8'))
    const breaking = released.flatMap(({ sdl }) =>
      findBreakingChanges(buildSchema(sdl), schema).map(({ description }) => description),
    )
    expect(breaking.filter((description) => !announced.some((note) => note.includes(description)))).toEqual([])
  })
})

describe('a part that was removed since the last release', () => {
  const after = buildSchema('type Query { kept: Int }')
  const before = (reason: string) =>
    buildSchema(
      `type Query { kept(old: Int @deprecated(reason: "${reason}")): Int, gone: Int @deprecated(reason: "${reason}") }`,
    )

  it.each([
    ['is accepted from the date in its deprecation', 'Use `kept`. Removed after 2030-01-31.', []],
    ['is reported before that date', 'Use `kept`. Removed after 2030-02-01.', ['Query.kept(old:)', 'Query.gone']],
  ])('%s', (_title, reason, early) => {
    expect(findEarlyRemovals(before(reason), after, new Date('2030-01-31'))).toEqual(early)
  })

  it('is reported if it was not deprecated', () => {
    const known = buildSchema('type Query { kept: E, gone: Int } enum E { A, B } input I { a: Int, b: Int }')
    const now = buildSchema('type Query { kept: E } enum E { A } input I { a: Int }')
    expect(findEarlyRemovals(known, now, new Date())).toEqual(['Query.gone', 'E.B', 'I.b'])
  })
})

/** Returns the date that a reason contains, as `YYYY-MM-DD`. */
function dateIn(reason: string): string | undefined {
  return /\b\d{4}-\d{2}-\d{2}\b/.exec(reason)?.[0]
}

/** Returns the fields, arguments and enum values of a schema, each with the reason of its deprecation or null. */
function deprecationsOf(described: GraphQLSchema): Map<string, string | null> {
  const parts = Object.values(described.getTypeMap()).flatMap((type): (readonly [string, string | null])[] => {
    if (isIntrospectionType(type)) return []
    const entry = (path: string, reason: string | null | undefined) => [path, reason ?? null] as const
    if (isEnumType(type)) {
      return type.getValues().map(({ name, deprecationReason }) => entry(`${type.name}.${name}`, deprecationReason))
    }
    if (isInputObjectType(type)) {
      return Object.values(type.getFields()).map(({ name, deprecationReason }) =>
        entry(`${type.name}.${name}`, deprecationReason),
      )
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    return Object.values(type.getFields()).flatMap(({ name, args, deprecationReason }) => [
      ...args.map((arg) => entry(`${type.name}.${name}(${arg.name}:)`, arg.deprecationReason)),
      entry(`${type.name}.${name}`, deprecationReason),
    ])
  })
  return new Map(parts)
}

/** Returns the parts of a known schema that were removed although their deprecation has no date, or a later one. */
function findEarlyRemovals(known: GraphQLSchema, current: GraphQLSchema, today: Date): string[] {
  const present = deprecationsOf(current)
  return [...deprecationsOf(known)].flatMap(([path, reason]) => {
    const date = dateIn(reason ?? '')
    const isDue = date !== undefined && date <= today.toISOString().slice(0, 10)
    return present.has(path) || isDue ? [] : [path]
  })
}

/** Returns the places of a type without a useful description, as `Type.field(argument:)`. */
function silentPartsOf(type: GraphQLNamedType): string[] {
  const own = silent('', [type])
  if (isEnumType(type)) return [...own, ...silent(`${type.name}.`, type.getValues())]
  if (isInputObjectType(type)) return [...own, ...silent(`${type.name}.`, Object.values(type.getFields()))]
  if (!isObjectType(type) && !isInterfaceType(type)) return own
  const fields: GraphQLField<unknown, unknown>[] = Object.values(type.getFields())
  const silentArguments = fields.flatMap((field) => silent(`${type.name}.${field.name} `, field.args))
  return [...own, ...silent(`${type.name}.`, fields), ...silentArguments]
}

function silent(prefix: string, parts: readonly Described[]): string[] {
  return parts.filter(({ description }) => !description?.trim()).map(({ name }) => `${prefix}${name}`)
}

/**
 * Returns the entries under every “### Breaking” without backticks, so that a change may be quoted with or without
 * them.
 */
function breakingNotes(changelog: string): string[] {
  const sections = changelog.split(/^### /m).filter((section) => section.startsWith('Breaking'))
  return sections.flatMap((section) =>
    section
      .replaceAll('`', '')
      .replace(/\n(?![-#\n])\s*/g, ' ')
      .split('\n- ')
      .slice(1),
  )
}
