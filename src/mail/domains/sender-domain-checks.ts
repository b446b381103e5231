import { newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { checkDnsRecords } from './sender-domains.ts'

/** Maximum number of domains that one run checks, in all and of one account, and how many lookups run at a time. */
const [maxChecked, maxPerAccount, concurrency] = [500, 10, 20]

/** Time limit of one run: name servers that do not answer must not delay other jobs. */
const runTimeoutMs = 30_000

interface DueDomain {
  accountId: number
  domain: string
}

/** Checks the DNS records of sender domains: of verified domains once a day, of pending ones every hour for a week. */
export async function checkDueSenderDomains(system: System): Promise<void> {
  const now = system.clock.now()
  const due = await system.db.$unscoped<DueDomain>(
    'sender domains of all accounts are checked together',
    sql`SELECT account_id AS "accountId", domain FROM (
        SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY checked_at NULLS FIRST) AS n FROM sender_domain
        WHERE checked_at IS NULL OR checked_at < ${now}::timestamptz - interval '1 day'
          OR (verified_at IS NULL AND created_at > ${now}::timestamptz - interval '7 days'
            AND checked_at < ${now}::timestamptz - interval '50 minutes')) d
      WHERE n <= ${maxPerAccount}::int ORDER BY checked_at NULLS FIRST LIMIT ${maxChecked}::int`,
  )
  const deadline = performance.now() + runTimeoutMs
  const queue = due.values()
  const work = async () => {
    for (const { accountId, domain } of queue) {
      if (performance.now() > deadline) return
      try {
        await checkDnsRecords(newCtx(system, { accountId }), { accountId, domain })
      } catch (error) {
        // The domain may have been removed in the meantime. Other errors must not prevent the remaining checks.
        system.log.warn({ err: error, accountId, domain }, 'a sender domain could not be checked')
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}
