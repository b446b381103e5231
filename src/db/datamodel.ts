import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'

export type Model = keyof PrismaTypes

/** A column of a table, from Prisma's datamodel. */
export interface Column {
  readonly name: string
  readonly type: 'BigInt' | 'Boolean' | 'Bytes' | 'DateTime' | 'Decimal' | 'Enum' | 'Int' | 'Json' | 'String'
  readonly isList: boolean
}

const { models } = getDatamodel().datamodel

/** Returns the columns of a model by field, without its relations. */
export function columnsOf(model: string): ReadonlyMap<string, Column> {
  const fields = models[model]?.fields.filter(({ kind }) => kind !== 'object') ?? []
  return new Map(
    fields.map(({ name, kind, type, isList }) => {
      return [name, { name: snakeCase(name), type: kind === 'enum' ? 'Enum' : (type as Column['type']), isList }]
    }),
  )
}

/** Returns the table of each model. */
export const tableOf: ReadonlyMap<string, string> = new Map(
  Object.keys(models).map((model) => [model, snakeCase(model).slice(1)]),
)

/** The name in the database of a model or a field. The datamodel does not contain it; a test compares it with the schema. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
