import type { Ctx } from '../db/context.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { type FigureName, type FigureSource, figures, type PartSource, partFigures } from './catalogue.ts'
import { factsOf, type Ids } from './facts.ts'

/** Number of rows that one statement reads. */
const batchSize = 20_000

/** What is counted from rows: figures by currency, or by parts. */
export type Source = FigureSource | PartSource

/** All sources. */
export const sources = Object.keys(factsOf) as Source[]

/** Selects what is counted of the rows of a source that exist, in the form of `factsOf`. */
export function rollUps(ctx: Ctx, source: Source): Sql {
  if (isByParts(source)) return partRollUps(ctx, source)
  const names = namesOf(source)
  const all = [...names, ...names.map((name) => `${name}:deleted`)]
  const of = sql`account_id = ${ctx.sql.account} AND figure = ANY(${all}::text[])`
  const sum = sql`CASE WHEN figure LIKE '%:deleted' THEN -value ELSE value END`
  return sql`SELECT account_id, split_part(figure, ':', 1) AS figure, object, currency, at, ${sum} AS value FROM figure_total WHERE ${of} AND minutes = 15
    UNION ALL SELECT account_id, split_part(figure, ':', 1), object, currency, at, ${sum} FROM figure_delta WHERE ${of}`
}

/** Selects the same by parts, named like a currency. */
function partRollUps(ctx: Ctx, source: PartSource): Sql {
  const names = Object.entries(partFigures).flatMap(([name, each]) => (each === source ? name : []))
  const of = sql`account_id = ${ctx.sql.account} AND figure = ANY(${names}::text[])`
  return sql`SELECT account_id, figure, object, part AS currency, at, value FROM figure_part_total WHERE ${of} AND minutes = 15
    UNION ALL SELECT account_id, figure, object, part, at, value FROM figure_part_delta WHERE ${of}`
}

/** Returns whether the figures of a source have parts instead of currencies. */
export function isByParts(source: Source): source is PartSource {
  return source.endsWith('_parts')
}

/** Returns the figures of a source. */
export function namesOf(source: Source): FigureName[] {
  return (Object.keys(figures) as FigureName[]).filter((name) => figures[name].source === source)
}

/** A table, and the column by which its rows are read in batches. */
interface Batches {
  readonly table: Sql
  readonly id: Sql
}

/** The contacts of the messages of the account. */
export const messageContacts: Batches = { table: sql`mail_recipient`, id: sql`t.contact_id` }

/** Returns the table of a source. */
export function tableOf(source: Source): Batches {
  return {
    table: raw(`"${source.replace(/_parts$/, '')}"`),
    id: source === 'contact_tag' ? sql`t.contact_id` : sql`t.id`,
  }
}

/** Runs work on the rows of a table of the account in batches by id. Between them it pauses while requests are served. */
export async function forEachBatch(ctx: Ctx, batches: Batches, run: (ids: Ids) => Promise<unknown>): Promise<void> {
  const work = ctx.pacing.start()
  try {
    for await (const ids of batchesOf(ctx, batches)) await work.part(() => run(ids))
  } finally {
    work.end()
  }
}

/** Returns the rows of a table of the account in batches by id. */
async function* batchesOf(tx: Ctx, { table, id }: Batches): AsyncGenerator<Ids> {
  for (let after = 0n; ; ) {
    const [last] = await tx.sql<{ id: string | null }>`
      SELECT max(id)::text AS id FROM (SELECT ${id} AS id FROM ${table} t WHERE t.account_id = ${tx.sql.account}
        AND ${id} > ${String(after)}::bigint ORDER BY ${id} LIMIT ${batchSize}::int) batch`
    if (last?.id == null) return
    const upTo = BigInt(last.id)
    yield { after, upTo }
    after = upTo
  }
}
