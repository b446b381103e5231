import { contactFacts } from '../contacts/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { inSnapshot, ofAccount } from '../db/transaction.ts'
import { countVisitorDifferences } from '../funnels/index.ts'
import { type Decimal, decimal } from '../kernel/values/money.ts'
import { latestMessages } from '../mail/index.ts'
import { figures, partStates } from './catalogue.ts'
import { existing, factsOf, factsOfObjects } from './facts.ts'
import {
  forEachBatch,
  isByParts,
  messageContacts,
  namesOf,
  rollUps,
  type Source,
  sources,
  tableOf,
} from './source-rows.ts'

/** Time that a statement of a check may take in a snapshot, in milliseconds. What takes longer is skipped. */
const snapshotMs = 5_000

/** Number of times that the rows of a source are compared until a difference is certain. What changes meanwhile is skipped. */
const maxPasses = 4

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

/** Figures that a check could not compare: reading the rows took too long, or they changed all the time. */
export interface SkippedFigure {
  readonly accountId: number
  readonly figure: string
  /** Empty if it is the account, or several objects. */
  readonly object: string
}

/**
 * Compares the figures of the last full days (UTC) with the rows, of a state such as MRR those of all time. Returns each
 * difference. Objects that were deleted are skipped. Compares the counter of the contacts, the latest messages of contacts and
 * the visitors of funnels too.
 *
 * A snapshot of many minutes would keep dead rows of all accounts. So all rows are read in batches without one, and only a
 * difference is examined: a state in a short snapshot of the rows of one object, because states change all the time; a past day,
 * which seldom changes, by reading the rows again.
 */
export async function checkFigures(
  system: System,
  onSkipped: (skipped: SkippedFigure) => void = () => undefined,
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
  readonly onSkipped: (skipped: SkippedFigure) => void
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
  const rows: Sums = new Map()
  await forEachBatch(ctx, tableOf(source), async (ids) =>
    addSums(rows, await sumsOf(ctx, source, factsOf[source](ctx, ids))),
  )
  return differences(ctx, rows, await sumsOf(ctx, source, rollUps(ctx, source)))
}

/** Compares the rows of an object with what is counted of them, in a snapshot. */
async function compareObject(tx: Ctx, source: Source, object: string, facts: Sql): Promise<Drift[]> {
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
  let [differences, last] = [0, 0n]
  await forEachBatch(ctx, messageContacts, async (ids) => {
    differences += await latestMessages.countDifferences(ctx, ids)
    last = ids.upTo
  })
  differences += await latestMessages.countDifferences(ctx, { after: last, upTo: undefined })
  return countedDrift(ctx, 'latest_message', differences)
}

/** Name of the visitors of funnels in what the check reports. */
const visitors = 'step_visitor'

/** Reports how many visitors of funnels are counted otherwise than they visited. */
async function checkVisitors(check: Check): Promise<Drift[]> {
  const { ctx } = check
  let found = 0
  const funnels = await ctx.sql<{ id: number }>`SELECT id FROM funnel WHERE account_id = ${ctx.sql.account} ORDER BY id`
  for (const { id } of funnels) {
    for (const count of countVisitorDifferences)
      found += (await briefly(check, visitors, `Funnel:${id}`, (tx) => count(tx, id))) ?? 0
  }
  return countedDrift(ctx, visitors, found)
}

function countedDrift({ accountId }: Ctx, figure: string, differences: number): Drift[] {
  const drift = { accountId, figure, object: '', currency: '', rows: '0', figures: String(differences) }
  return differences > 0 ? [drift] : []
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

function statesOf(source: Source): readonly string[] {
  if (isByParts(source)) return partStates
  return namesOf(source).filter((name) => figures[name].isState)
}

/** Returns whether an error is the end of a statement that took too long. */
function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}
