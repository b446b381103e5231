import SchemaBuilder from '@pothos/core'
import ComplexityPlugin from '@pothos/plugin-complexity'
import PrismaPlugin from '@pothos/plugin-prisma'
import type PrismaTypes from '../../prisma/generated/pothos.ts'
import { getDatamodel } from '../../prisma/generated/pothos.ts'
import type { Ctx } from '../db/context.ts'
import { currencyCode, date, dateTime, decimal, json } from './scalars.ts'
import { sizesPlugin } from './sizes.ts'

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
 * What every room adds its types and fields to. Rows come to resolvers complete, from our own statements: types name no
 * `select`, so that reading a column of a row costs nothing; heavy columns live in tables of their own.
 */
export const builder = new SchemaBuilder<Types>({
  plugins: [sizesPlugin, ComplexityPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  // The plugin keeps what fields cost; `cost-formula.ts` adds it up once for each operation.
  complexity: { defaultComplexity: 1, defaultListMultiplier: 10, disabled: true },
  prisma: { client: (ctx) => ctx.db, dmmf: getDatamodel() },
})

/** What Pothos knows of our schema, for helpers that are typed over it. */
export type Schema = typeof builder.$inferSchemaTypes

builder.queryType({ description: 'Everything that can be read. All of it is within the account of the key.' })
builder.mutationType({
  description:
    'Everything that can be changed. Each field takes one input and is one transaction; with an idempotency key it is safe to repeat.',
})
builder.subscriptionType({
  description:
    'Everything that can be followed, over WebSocket or as server-sent events. Each event carries a cursor; who comes again with it as `after` misses nothing and gets nothing twice.',
})
builder.addScalarType('DateTime', dateTime)
builder.addScalarType('Date', date)
builder.addScalarType('CurrencyCode', currencyCode)
builder.addScalarType('Decimal', decimal)
builder.addScalarType('JSON', json)
