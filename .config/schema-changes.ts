import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import {
  buildSchema,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isIntrospectionType,
  isSpecifiedScalarType,
} from 'graphql'

/** A released schema. */
export interface Release {
  readonly version: string
  readonly sdl: string
}

/** Returns the released schemas, oldest first. A release adds its schema to this folder. */
export function releasedSchemas(): Release[] {
  return globSync('src/docs/schemas/*.graphql')
    .map((path) => ({ version: basename(path, '.graphql'), sdl: readFileSync(path, 'utf8') }))
    .toSorted((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }))
}

/** Returns the version of a schema, as the header `X-Schema-Version` has it: the beginning of the SHA-256 of its text. */
export function versionOfSchema(sdl: string): string {
  return createHash('sha256').update(sdl).digest('hex').slice(0, 12)
}

/** Returns the page of what changed between the released schemas, oldest first, and the current one. */
export function schemaChangesPage(releases: readonly Release[], current: string): string {
  const states = [...releases, { version: 'Not released yet', sdl: current }].map(({ version, sdl }) => ({
    ...{ version, hash: versionOfSchema(sdl), schema: buildSchema(sdl) },
  }))
  const sections = states.map(({ version, hash, schema }, index) => {
    const before = states[index - 1]
    const changes = before ? changesBetween(before.schema, schema) : 'The first schema.\n'
    return `## ${version}\n\`X-Schema-Version: ${hash}\`\n\n${changes}`
  })
  return `# Changes of the schema
Each response of \`/graphql\` has the version of the schema in the header \`X-Schema-Version\`, so that a front end notices that
a server was updated. From 1.0.0 on, a change after which a valid document is invalid happens in a major version only, and was
announced by \`@deprecated\` before.

${sections.toReversed().join('\n')}`
}

function changesBetween(before: GraphQLSchema, after: GraphQLSchema): string {
  const groups = [
    ['Breaking', findBreakingChanges(before, after).map(({ description }) => description)],
    ['To be checked', findDangerousChanges(before, after).map(({ description }) => description)],
    ['New', namesOf(after).filter((name) => !new Set(namesOf(before)).has(name))],
  ] as const
  const texts = groups.flatMap(([title, lines]) => (lines.length > 0 ? [`${title}:\n\n- ${lines.join('\n- ')}\n`] : []))
  return texts.join('\n') || 'No changes.\n'
}

/** Returns the names of all types and their fields. */
function namesOf(schema: GraphQLSchema): string[] {
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isSpecifiedScalarType(type) && !isIntrospectionType(type),
  )
  return own.flatMap((type) => [
    `\`${type.name}\``,
    ...('getFields' in type ? Object.keys(type.getFields()).map((field) => `\`${type.name}.${field}\``) : []),
  ])
}
