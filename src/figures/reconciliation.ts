import { contactFacts } from '../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { insertParts } from '../db/figure-parts.ts'
import { insertFigures } from '../db/figures.ts'
import { empty, raw, type Sql, sql } from '../db/sql.ts'
import { inSnapshot, ofAccount } from '../db/transaction.ts'
import { visitorParts } from '../funnels/index.ts'
import {
  type FigureName,
  type FigureSource,
  figures,
  type PartSource,
  partFigures,
  partStates,
} from '../kernel/figures.ts'
import { type Decimal, decimal } from '../kernel/money.ts'
import { latestMessages } from '../mail/index.ts'
import { existing, factsOf, factsOfObjects, type Ids } from './facts.ts'

/** Number of rows that one statement reads. */
const batchSize = 20_000

/** Time that counting all rows of a source of an account may take after an upgrade, in milliseconds. */
const timeoutMs = 60 * 60_000

/** Time that a statement of a check may take in a snapshot, in milliseconds. What takes longer is skipped. */
const snapshotMs = 5_000

/** Number of times that the rows of a source are compared until a difference is certain. What changes meanwhile is skipped. */
const maxPasses = 4

/** How long after the start of the first version with figures older rows are counted: servers of the version before may run. */
const fillDelayMs = 60 * 60_000

/** Name of the latest messages of contacts among the sources that are counted after an upgrade. */
const latest = 'latest_message'

/** Number of full days that a check compares. The check runs weekly, so that each day is compared. */
const checkedDays = 8
const dayMs = 24 * 60 * 60_000

/** The sum of a figure in the rows and in the roll-ups, which should be equal. */
export interface Drift {
  readonly accountId: number
  readonly figure: string
  readonly object: string
  readonly currency: string
  readonly rows: string
  readonly figures: string
}

/** What is counted from rows: figures by currency, or by parts. */
type Source = FigureSource | PartSource

const sources = Object.keys(factsOf) as Source[]

/** Figures of a source, by account. */
interface Part {
  readonly accountId: number
  readonly source: Source
}

/**
 * Counts the rows that were stored before figures were counted, one source of an account after another. What is counted already
 * is replaced in the snapshot that reads the rows, so it is exact beside writers, and a killed process leaves nothing.
 */
export async function fillFigures(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - fillDelayMs)
  await fillLatestMessages(system, before)
  await visitorParts.recountVisitors(system, before)
  for (let isFound = true; isFound; ) {
    isFound = await inSnapshot(
      system,
      async (tx) => {
        const [part] = await tx.db.$queryRaw<Part[]>(
          sql`SELECT account_id AS "accountId", source FROM figure_fill WHERE complete_since < ${before}::timestamptz AND source = ANY(${sources}::text[])
            ORDER BY account_id, source LIMIT 1 FOR UPDATE SKIP LOCKED`,
        )
        if (part) await fill(ofAccount(tx, part.accountId), part.source)
        return part !== undefined
      },
      timeoutMs,
    )
  }
}

/**
 * Reads the latest messages of contacts from all messages. Their times only move forward, so it needs no snapshot: each batch of
 * contacts is a transaction of its own, and a killed process starts again.
 */
async function fillLatestMessages(system: System, before: Date): Promise<void> {
  const accounts = await system.db.$unscoped<{ id: number }>(
    'the latest messages of the contacts of all accounts are read after an upgrade',
    sql`SELECT account_id AS id FROM figure_fill WHERE complete_since < ${before}::timestamptz AND source = ${latest} ORDER BY 1`,
  )
  for (const { id } of accounts) {
    const ctx = newCtx(system, { accountId: id })
    await forEachBatch(ctx, messageContacts, async ({ after, upTo }) => {
      await ctx.sql`${latestMessages.keepLatest(sql`SELECT ${latestMessages.latestColumns} FROM mail_recipient r
        WHERE r.account_id = ${ctx.sql.account} AND r.contact_id > ${String(after)}::bigint AND r.contact_id <= ${String(upTo)}::bigint`)}`
    })
    await ctx.sql`DELETE FROM figure_fill WHERE account_id = ${ctx.sql.account} AND source = ${latest}`
  }
}

async function fill(tx: Ctx, source: Source): Promise<void> {
  const insert = isByParts(source) ? insertParts : insertFigures
  await tx.sql`${insert(sql`SELECT ${tx.sql.account}::int, figure, object, currency, at, -value FROM (${rollUps(tx, source)}) k`)}`
  await forEachBatch(tx, tableOf(source), async (ids) => {
    await tx.sql`${insert(factsOf[source](tx, ids))}`
  })
  await tx.sql`DELETE FROM figure_fill WHERE account_id = ${tx.sql.account} AND source = ${source}`
}

/** Figures that a check could not compare: reading the rows took too long, or they changed all the time. */
export interface Skipped {
  readonly accountId: number
  readonly figure: string
  /** Empty if it is the account, or several objects. */
  readonly object: string
}

/**
 * Compares the figures of the last full days (UTC) with the rows, of a state such as MRR those of all time. Returns each
 * difference. Sources whose older rows are not counted yet are skipped, and so are objects that were deleted. Compares the
 * counter of the contacts, the latest messages of contacts and the visitors of funnels too.
 *
 * A snapshot of many minutes would keep dead rows of all accounts. So all rows are read in batches without one, and only a difference
 * is examined: a state in a short snapshot of the rows of one object, because states change all the time; a past day, which seldom
 * changes, by reading the rows again.
 */
export async function checkFigures(
  system: System,
  onSkipped: (skipped: Skipped) => void = () => undefined,
): Promise<Drift[]> {
  const accounts = await system.db.$unscoped<{ id: number }>(
    'the figures of all accounts are compared',
    sql`SELECT id FROM account ORDER BY id`,
  )
  const drifts: Drift[] = []
  for (const { id } of accounts) {
    const check: Check = { ctx: newCtx(system, { accountId: id }), onSkipped }
    for (const source of sources) drifts.push(...(await checkSource(check, source)))
    drifts.push(...((await briefly(check, 'contacts', '', compareCounter)) ?? []))
    drifts.push(...(await compareLatest(check.ctx)))
    drifts.push(...(await checkVisitors(check)))
  }
  return drifts
}

/** The check of an account. */
interface Check {
  readonly ctx: Ctx
  readonly onSkipped: (skipped: Skipped) => void
}

async function checkSource(check: Check, source: Source): Promise<Drift[]> {
  const found = await compare(check.ctx, source)
  if (found.length === 0) return []
  const factsOfObject = factsOfObjects[source]
  if (!factsOfObject) return confirm(check, source, found)
  const drifts: Drift[] = []
  for (const object of new Set(found.map((drift) => drift.object))) {
    const exact = await briefly(check, source, object, (tx) =>
      compareObject(tx, source, object, factsOfObject(tx, object)),
    )
    drifts.push(...(exact ?? []))
  }
  return drifts
}

/** Compares the rows again until nothing that differs has changed meanwhile. Then the same rows and figures were compared. */
async function confirm({ ctx, onSkipped }: Check, source: Source, found: readonly Drift[]): Promise<Drift[]> {
  let [before, drifts, isChanging] = [found, [] as Drift[], true]
  for (let pass = 2; isChanging && pass <= maxPasses; pass += 1) {
    const again = await compare(ctx, source)
    const known = new Set(before.map((drift) => JSON.stringify(drift)))
    drifts = again.filter((drift) => known.has(JSON.stringify(drift)))
    isChanging = drifts.length < again.length
    before = again
  }
  if (isChanging) onSkipped({ accountId: ctx.accountId, figure: source, object: '' })
  return drifts
}

/** Runs work on a snapshot. Returns undefined if a statement takes too long. */
async function briefly<Result>(
  { ctx, onSkipped }: Check,
  figure: string,
  object: string,
  work: (tx: Ctx) => Promise<Result>,
): Promise<Result | undefined> {
  const { accountId } = ctx
  const pace = ctx.pacing.start()
  try {
    return await pace.part(() => inSnapshot(ctx, (tx) => work(ofAccount(tx, accountId)), snapshotMs))
  } catch (error) {
    if (!isTimeout(error)) throw error
    onSkipped({ accountId, figure, object })
    return undefined
  } finally {
    pace.end()
  }
}

/** Compares the rows of a source with what is counted of them. Both can change meanwhile. */
async function compare(ctx: Ctx, source: Source): Promise<Drift[]> {
  if (!(await isCounted(ctx, source))) return []
  const rows: Sums = new Map()
  await forEachBatch(ctx, tableOf(source), async (ids) =>
    addSums(rows, await sumsOf(ctx, source, factsOf[source](ctx, ids))),
  )
  return differences(ctx, rows, await sumsOf(ctx, source, rollUps(ctx, source)))
}

/** Compares the rows of an object with what is counted of them, in a snapshot. */
async function compareObject(tx: Ctx, source: Source, object: string, facts: Sql): Promise<Drift[]> {
  if (!(await isCounted(tx, source))) return []
  const rows: Sums = new Map()
  addSums(rows, await sumsOf(tx, source, facts, object))
  return differences(tx, rows, await sumsOf(tx, source, rollUps(tx, source), object))
}

function differences({ accountId }: Ctx, rows: Sums, sums: readonly SumRow[]): Drift[] {
  const counted: Sums = new Map()
  addSums(counted, sums)
  return [...new Set([...rows.keys(), ...counted.keys()])].flatMap((key) => {
    const [inRows, inFigures] = [rows.get(key) ?? decimal(0), counted.get(key) ?? decimal(0)]
    if (inRows.eq(inFigures)) return []
    const [figure, object, currency] = JSON.parse(key) as [string, string, string]
    return { accountId, figure, object, currency, rows: inRows.toFixed(), figures: inFigures.toFixed() }
  })
}

async function compareCounter(tx: Ctx): Promise<Drift[]> {
  const { counter, rows } = await contactFacts.counts(tx)
  const common = { accountId: tx.accountId, figure: 'contacts', object: '', currency: '' }
  return counter === rows ? [] : [{ ...common, rows, figures: counter }]
}

/** Reports how many contacts have other latest messages than stored. A statement sees both of its contacts at one moment. */
async function compareLatest(ctx: Ctx): Promise<Drift[]> {
  if (!(await isCounted(ctx, latest))) return []
  let [differences, last] = [0, 0n]
  await forEachBatch(ctx, messageContacts, async (ids) => {
    differences += await latestMessages.countDifferences(ctx, ids)
    last = ids.upTo
  })
  differences += await latestMessages.countDifferences(ctx, { after: last, upTo: undefined })
  return countedDrift(ctx, latest, differences)
}

/** Reports how many visitors of funnels are counted otherwise than they visited. */
async function checkVisitors(check: Check): Promise<Drift[]> {
  const source = visitorParts.visitorSource
  let found = 0
  for (const id of await visitorParts.listFunnels(check.ctx)) {
    for (const count of visitorParts.countDifferences)
      found +=
        (await briefly(check, source, `Funnel:${id}`, async (tx) =>
          (await isCounted(tx, source)) ? count(tx, id) : 0,
        )) ?? 0
  }
  return countedDrift(check.ctx, source, found)
}

function countedDrift({ accountId }: Ctx, figure: string, differences: number): Drift[] {
  const drift = { accountId, figure, object: '', currency: '', rows: '0', figures: String(differences) }
  return differences > 0 ? [drift] : []
}

async function isCounted(tx: Ctx, source: string): Promise<boolean> {
  const pending = await tx.sql`
    SELECT FROM figure_fill WHERE account_id = ${tx.sql.account} AND source = ${source}`
  return pending.length === 0
}

/** Sums by figure, object and currency. */
type Sums = Map<string, Decimal>

interface SumRow {
  readonly figure: string
  readonly object: string
  readonly currency: string
  readonly value: string
}

async function sumsOf(tx: Ctx, source: Source, changes: Sql, object?: string): Promise<SumRow[]> {
  const until = new Date(Math.floor(tx.clock.now().getTime() / dayMs) * dayMs)
  const from = new Date(until.getTime() - checkedDays * dayMs)
  const isPresent = existing[source]?.(tx) ?? sql`true`
  // A part can be what a person answered, which no log shall contain.
  const key = isByParts(source) ? sql`md5(currency)` : sql`currency`
  return tx.sql<SumRow>`
    SELECT figure, object, ${key} AS currency, sum(value)::text AS value
    FROM (${changes}) AS c (account_id, figure, object, currency, at, value)
    WHERE account_id = ${tx.sql.account} AND ${isPresent} ${object === undefined ? empty : sql`AND object = ${object}`}
      AND (figure = ANY(${statesOf(source)}::text[]) OR (at >= ${from}::timestamptz AND at < ${until}::timestamptz))
    GROUP BY 1, 2, 3`
}

function addSums(sums: Sums, rows: readonly SumRow[]): void {
  for (const { figure, object, currency, value } of rows) {
    const key = JSON.stringify([figure, object, currency])
    sums.set(key, (sums.get(key) ?? decimal(0)).plus(value))
  }
}

/** Selects what is counted of the rows of a source that exist, in the form of `factsOf`. */
function rollUps(ctx: Ctx, source: Source): Sql {
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

function isByParts(source: Source): source is PartSource {
  return source.endsWith('_parts')
}

function namesOf(source: Source): FigureName[] {
  return (Object.keys(figures) as FigureName[]).filter((name) => figures[name].source === source)
}

function statesOf(source: Source): readonly string[] {
  if (isByParts(source)) return partStates
  return namesOf(source).filter((name) => figures[name].isState)
}

/** A table, and the column by which its rows are read in batches. */
interface Batches {
  readonly table: Sql
  readonly id: Sql
}

const messageContacts: Batches = { table: sql`mail_recipient`, id: sql`t.contact_id` }

function tableOf(source: Source): Batches {
  return {
    table: raw(`"${source.replace(/_parts$/, '')}"`),
    id: source === 'contact_tag' ? sql`t.contact_id` : sql`t.id`,
  }
}

/** Returns whether an error is the end of a statement that took too long. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}

/** Runs work on the rows of a table of the account in batches by id. Between them it rests while requests are served, except in a transaction. */
async function forEachBatch(ctx: Ctx, batches: Batches, run: (ids: Ids) => Promise<unknown>): Promise<void> {
  const work = ctx.pacing.start()
  try {
    for await (const ids of batchesOf(ctx, batches)) await (ctx.afterCommit ? run(ids) : work.part(() => run(ids)))
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
