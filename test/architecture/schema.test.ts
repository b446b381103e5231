import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import {
  buildSchema,
  findBreakingChanges,
  type GraphQLField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import { describe, expect, it } from 'vitest'

interface Described {
  name: string
  description?: string | null | undefined
}

const sdl = readFileSync('schema.graphql', 'utf8')
const schema = buildSchema(sdl)

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

  it.each(knownSchemas())(
    'has no breaking change since $base that is not in CHANGELOG.md under “### Breaking”',
    ({ known }) => {
      const announced = breakingNotes(readFileSync('CHANGELOG.md', 'utf8'))
      const breaking = findBreakingChanges(buildSchema(known), schema).map(({ description }) => description)
      expect(breaking.filter((description) => !announced.some((note) => note.includes(description)))).toEqual([])
    },
  )
})

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
 * Returns the schemas that clients may use: that of the last release, of the merge base with the main branch, and of
 * the last commits. Empty without a release or history.
 */
function knownSchemas(): { base: string; known: string }[] {
  const attempts = [
    { base: 'the last release', words: ['describe', '--tags', '--abbrev=0'] },
    { base: 'the main branch', words: ['merge-base', 'HEAD', 'origin/main'] },
    { base: 'the commit before', words: ['rev-parse', '--verify', 'HEAD^'] },
    { base: 'the commit', words: ['rev-parse', '--verify', 'HEAD'] },
  ]
  return attempts.flatMap(({ base, words }) => {
    const commit = git(words)?.trim()
    const known = commit === undefined ? undefined : git(['show', `${commit}:schema.graphql`])
    return known === undefined ? [] : [{ base, known }]
  })
}

/** Returns the output of git, or an empty string if it fails. */
function git(words: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' })
  return status === 0 ? stdout : undefined
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
