import SchemaBuilder, { type FieldKind, RootFieldBuilder, type SchemaTypes } from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import type PrismaTypes from '../../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../../prisma/generated/pothos.ts'
import type { Ctx } from '../../db/context.ts'
import { costPlugin } from '../cost/cost-plugin.ts'
import { reads } from './row-fields.ts'
import { currencyCode, date, dateTime, decimal, json } from './scalars.ts'

export interface Types {
  Context: Ctx
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  Scalars: {
    ID: { Input: string; Output: string }
    DateTime: { Input: Date; Output: Date }
    Date: { Input: string; Output: string }
    Decimal: { Input: string; Output: string }
    CurrencyCode: { Input: string; Output: string }
    JSON: { Input: unknown; Output: unknown }
  }
}

/**
 * The schema builder to which every module adds its types and fields. Types have no `select`: rows come from our own SQL, which
 * reads the columns that exposed fields and `row-fields.ts` name, or all. Large columns are in separate tables.
 */
export const builder = new SchemaBuilder<Types>({
  plugins: [costPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: (ctx) => ctx.db, dmmf: getDatamodel() },
})

/** The schema's types as Pothos infers them, for helpers that are generic over them. */
export type Schema = typeof builder.$inferSchemaTypes

builder.queryType({
  description: 'Read operations. Queries return only data of the account to which the API key belongs.',
})
builder.mutationType({
  description:
    'Write operations. Each mutation takes one input object and runs in one transaction. With an idempotency key, a request is safe to repeat.',
})
builder.subscriptionType({
  description:
    'Event streams over WebSocket or server-sent events. Each event has a cursor. A client that subscribes again with its last cursor as `after` misses no event and receives none twice.',
})
builder.addScalarType('DateTime', dateTime)
builder.addScalarType('Date', date)
builder.addScalarType('CurrencyCode', currencyCode)
builder.addScalarType('Decimal', decimal)
builder.addScalarType('JSON', json)

declare global {
  // biome-ignore lint/style/noNamespace: this is where Pothos looks for the methods of its field builders
  export namespace PothosSchemaTypes {
    export interface RootFieldBuilder<Types extends SchemaTypes, ParentShape, Kind extends FieldKind> {
      /** A field of the type DateTime with the value of a column. */
      exposeTime<Name extends TimeColumn<ParentShape>>(
        name: Name,
        options: { description: string } & (null extends ParentShape[Name] ? { nullable: true } : object),
      ): FieldRef<Types, ParentShape[Name], Kind>
    }
  }
}

/** The columns of a row that contain a time or null. */
type TimeColumn<Row> = string & { [Key in keyof Row]-?: Row[Key] extends Date | null ? Key : never }[keyof Row]

type TimeFields = PothosSchemaTypes.RootFieldBuilder<Schema, Record<string, Date | null>, 'Object'>
const fieldMethods = RootFieldBuilder.prototype as unknown as TimeFields

fieldMethods.exposeTime = function (name, options) {
  return this.field({
    type: 'DateTime',
    ...options,
    extensions: reads(name),
    resolve: (row) => row[name] ?? null,
  }) as never
}
