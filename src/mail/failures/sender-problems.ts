import type { Ctx, System } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import { announcedChannel, emission } from '../../events/index.ts'
import { asciiDomain } from '../../kernel/values/address-key.ts'
import { oneLine } from '../../kernel/values/storable-text.ts'
import type { FailureCause } from './failure-causes.ts'

const problemTable = table('SenderProblem', 'q')
export type SenderProblem = RowOf<typeof problemTable>

/** How long a problem is kept after the last message that it concerned. */
const keptDays = 30

/** Age up to which a problem slows the sending of a process that has not seen it. */
const slowMinutes = 10

/** Maximum number of characters of the stored reply. */
const maxDetailLength = 500

/** The filter of problems. */
export const problemFilter = filterOn(problemTable, {
  domain: text(sql`q.domain`),
  cause: oneOf<FailureCause>('FailureCause', sql`q.cause`, 'failure_cause'),
  lastAt: time(sql`q.last_at`),
})

/** The problems of an account. */
const problemList = newList(problemTable, {
  name: 'sender problems',
  orders: { LAST_AT: 'lastAt' },
  filter: problemFilter,
})

/** Loads problems by id. */
export const { byId } = problemTable

/** Lists the problems of the account. Defaults to the latest first. */
export const list = pagesOf(problemList)

/** Refused messages of an account to one domain. */
export interface ProblemCount {
  readonly accountId: number
  readonly domain: string
  readonly cause: FailureCause
  readonly failures: number
  readonly detail: string
}

/**
 * Returns the statement that adds refused messages to the problems of accounts, of all or of those that match `within`. Rows are
 * locked in the order of their keys. **Emits** `sender_problem.created` for each new problem; the caller notifies the readers of
 * events.
 */
export function addProblems(counts: readonly ProblemCount[], now: Date, within: Sql = sql`true`): Sql {
  const rows = counts.map((each) => ({ ...each, detail: impersonal(each.detail) }))
  return sql`
    WITH changed AS (INSERT INTO sender_problem AS q (account_id, domain, cause, failures, detail, first_at, last_at)
    SELECT x."accountId", x.domain, x.cause, x.failures, x.detail, ${now}::timestamptz, ${now}::timestamptz
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS x("accountId" int, domain text, cause failure_cause, failures int, detail text)
    WHERE ${within} AND EXISTS (SELECT FROM account a WHERE a.id = x."accountId") ORDER BY 1, 2, 3
    ON CONFLICT (account_id, domain, cause) DO UPDATE SET detail = excluded.detail, last_at = excluded.last_at,
      failures = least(q.failures::bigint + excluded.failures, 2147483647)
    RETURNING q.account_id, q.id, q.xmax = 0 AS is_new
    ), created AS (${emission('sender_problem.created', eventsOf(sql`changed WHERE is_new`), now)}
    ) SELECT FROM changed`
}

/** Selects the data of the events of problems. */
function eventsOf(rows: Sql): Sql {
  return sql`SELECT account_id, jsonb_build_object('senderProblemId', id) AS data FROM ${rows}`
}

/** Records that a report blames the sender for a message to an address. **Emits** `sender_problem.created` for the first one. */
export async function addProblem(
  tx: Ctx,
  { email, cause, detail }: { email: string; cause: FailureCause; detail: string },
): Promise<void> {
  const count = { accountId: tx.accountId, domain: domainOf(email), cause, failures: 1, detail }
  await tx.sql`${addProblems([count], tx.clock.now(), sql`x."accountId" = ${tx.sql.account}::int`)}`
  tx.afterCommit?.(() => tx.notify(announcedChannel))
}

/** A domain to which an account sends slowly, since a time. */
interface SlowDomain {
  readonly accountId: number
  readonly domain: string
  readonly lastAt: Date
}

/** Returns the domains that refused messages lately, of all accounts: at most 1,000, the latest. */
export function slowDomains(system: System): Promise<SlowDomain[]> {
  const since = new Date(system.clock.now().getTime() - slowMinutes * 60_000)
  return system.db.$unscoped<SlowDomain>(
    'a worker serves all accounts',
    sql`SELECT account_id AS "accountId", domain, max(last_at) AS "lastAt" FROM sender_problem
      WHERE last_at > ${since}::timestamptz GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 1000`,
  )
}

/** Deletes problems whose last message is old. **Emits** `sender_problem.deleted`. */
export async function removeOldProblems(system: System): Promise<void> {
  const announce = emission('sender_problem.deleted', eventsOf(sql`deleted`), system.clock.now())
  await removeOld(system, { table: 'sender_problem', since: 'last_at', keptDays, announce })
}

/** Returns the domain of an address, as it is in the DNS. */
export function domainOf(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1).replace(/\.$/, '')
  return asciiDomain(domain) ?? domain.toLowerCase()
}

/** Returns a reply as one line without addresses: a problem is not about a person. */
function impersonal(reply: string): string {
  return oneLine(reply, maxDetailLength).replace(/<?[^\s<>@]{1,64}@[^\s<>@]{1,255}>?/g, '<address>')
}
