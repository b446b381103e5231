import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { SenderDomain } from '../../../prisma/generated/client/client.ts'
import { lockKind } from '../../db/account-lock.ts'
import type { Ctx, Loader } from '../../db/context.ts'
import { table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check } from '../../kernel/values/check.ts'
import { domainName } from '../../kernel/values/domain-name.ts'
import type { MailServices } from '../services.ts'
import { byDomain, dnsRecordOf, type PublicDkimKey } from './dkim-keys.ts'

/** Maximum number of sender domains of an account. */
export const maxSenderDomains = 100

/** A verified domain becomes unverified after its records were missing for this long. Not at once: records vanish by accident. */
const maxMissingMs = 7 * 24 * 60 * 60 * 1000

/** A TXT record that proves control of a domain, and whether the last check found it. */
export interface ProofRecord {
  readonly name: string
  readonly value: string
  readonly isFound: boolean
}

const Input = z.object({ domain: domainName })

const domainTable = table('SenderDomain', 'd', { noun: 'sender domain' })

/** Loads sender domains by id. */
export const { byId } = domainTable

/** Returns the account's sender domains by name, at most `maxSenderDomains`. */
export async function list(ctx: Ctx): Promise<SenderDomain[]> {
  return ctx.db.senderDomain.findMany({
    where: { accountId: ctx.accountId },
    orderBy: { domain: 'asc' },
    take: maxSenderDomains,
  })
}

/**
 * Adds a domain that the account wants to send from. Idempotent: a domain that was added before is returned unchanged.
 *
 * **Emits** `sender_domain.created`. Throws VALIDATION_ERROR if the name is not a domain name or the account has
 * `maxSenderDomains` already.
 */
export async function add(ctx: Ctx, input: { domain: string }): Promise<{ senderDomain: SenderDomain }> {
  const { domain } = check(Input, input)
  const { accountId } = ctx
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'sender domains')
    const row = { accountId, domain, token: randomBytes(16).toString('hex'), createdAt: tx.clock.now() }
    const { count: added } = await tx.db.senderDomain.createMany({ data: row, skipDuplicates: true })
    const count = await tx.db.senderDomain.count({ where: { accountId } })
    if (count > maxSenderDomains)
      throw invalid({ domain: [`exceeds the maximum of ${maxSenderDomains} domains`] }, 'LIMIT_REACHED')
    const senderDomain = await find(tx, domain)
    if (added > 0) await emit(tx, 'sender_domain.created', { senderDomainId: senderDomain.id })
    return { senderDomain }
  })
}

/**
 * Looks up the DNS records of a domain now, and records what was found. One record is enough: the TXT record with the
 * domain's token, or the public half of the account's own DKIM key. A DNS failure does not change the status.
 *
 * **Emits** the event of `changeOf`. Throws NOT_FOUND if the account has not added the domain.
 */
export async function verify(ctx: Ctx, input: { domain: string }): Promise<{ senderDomain: SenderDomain }> {
  const { domain } = check(Input, input)
  return checkDnsRecords(ctx, { accountId: ctx.accountId, domain })
}

/**
 * Removes a domain. If verification is required, nothing is sent from it any more. **Emits** `sender_domain.deleted`. **Throws**
 * NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { domain: string }): Promise<{ databaseId: number; domain: string }> {
  const { domain } = check(Input, input)
  return inTransaction(ctx, async (tx) => {
    const [removed] = await tx.sql<{ databaseId: number }>`
      DELETE FROM sender_domain WHERE account_id = ${tx.sql.account} AND domain = ${domain} RETURNING id AS "databaseId"`
    if (!removed) throw notFound()
    await emit(tx, 'sender_domain.deleted', { senderDomainId: removed.databaseId })
    return { ...removed, domain }
  })
}

/** Lists the DNS records that prove control of a domain; one is enough. The second exists if the domain has a DKIM key. */
export async function listProofRecords(ctx: Ctx, domain: SenderDomain): Promise<ProofRecord[]> {
  const key = await ctx.load(byDomain, domain.domain)
  return [{ ...tokenRecord(domain), isFound: domain.txtFound }, ...dkimRecord(key, domain.dkimFound)]
}

/** Looks up the DNS records of a domain and stores the result. **Emits** the event of `changeOf`. **Throws** NOT_FOUND. */
export async function checkDnsRecords(
  ctx: Ctx,
  { accountId, domain }: Pick<SenderDomain, 'accountId' | 'domain'>,
): Promise<{ senderDomain: SenderDomain }> {
  const row = await find(ctx, domain)
  const key = await ctx.load(byDomain, domain)
  const now = ctx.clock.now()
  const [txt, dkim] = await Promise.all([
    isPublished(ctx, tokenRecord(row)),
    key ? isPublished(ctx, dnsRecordOf(key)) : false,
  ])
  const isUnanswered = [txt, dkim].includes(undefined)
  const found = { txtFound: txt ?? row.txtFound, dkimFound: dkim ?? row.dkimFound }
  const isProven = txt === true || dkim === true
  const missingSince = isProven ? null : isUnanswered ? row.missingSince : (row.missingSince ?? now)
  const isLost = missingSince !== null && now.getTime() - missingSince.getTime() > maxMissingMs
  const verifiedAt = isProven ? (row.verifiedAt ?? now) : isLost ? null : row.verifiedAt
  const problem = isProven ? '' : problemOf(isUnanswered, key)
  return inTransaction(ctx, async (tx) => {
    const before = await domainTable.lock(tx, row.id, 'domain')
    const senderDomain = await tx.db.senderDomain.update({
      where: { accountId_domain: { accountId, domain } },
      data: { ...found, verifiedAt, missingSince, checkedAt: now, problem },
    })
    const type = changeOf(before, senderDomain)
    if (type) await emit(tx, type, { senderDomainId: senderDomain.id })
    return { senderDomain }
  })
}

/** Returns the event of a check: of another verification, or of other records or another problem. The time alone has none. */
function changeOf(before: SenderDomain, after: SenderDomain) {
  if (!before.verifiedAt && after.verifiedAt) return 'sender_domain.verified'
  if (before.verifiedAt && !after.verifiedAt) return 'sender_domain.failed'
  const isSame = (['txtFound', 'dkimFound', 'problem'] as const).every((field) => before[field] === after[field])
  return isSame ? undefined : 'sender_domain.updated'
}

/**
 * Returns those of the domains that the account may not send from: neither they nor a domain above them is verified. One
 * statement; none if this server requires no verification.
 */
export async function listUnverified(ctx: Ctx, domains: readonly string[]): Promise<ReadonlySet<string>> {
  if (!ctx.services.mail.requiresVerifiedSenders || domains.length === 0) return new Set()
  const rows = await ctx.sql<{ domain: string }>`
    SELECT x.domain FROM unnest(${[...new Set(domains)]}::text[]) AS x (domain)
    WHERE NOT EXISTS (SELECT FROM sender_domain d WHERE d.account_id = ${ctx.sql.account}
      AND (x.domain = d.domain OR right(x.domain, length(d.domain) + 1) = '.' || d.domain)
      AND d.verified_at IS NOT NULL)`
  return new Set(rows.map(({ domain }) => domain))
}

/** Loads whether the account may not send from domains. */
export const isUnverified: Loader<string, boolean> = {
  otherwise: () => false,
  batch: async (ctx, domains) => new Map([...(await listUnverified(ctx, domains))].map((domain) => [domain, true])),
}

/** The reason why a message from an unverified domain is not sent. */
export function unverifiedReason(domain: string): string {
  return `The sender domain ${domain} is not verified. Add it with senderDomainAdd and publish its DNS record.`
}

function tokenRecord({ domain, token }: Pick<SenderDomain, 'domain' | 'token'>) {
  return { name: `_campanile.${domain}`, value: `campanile-verification=${token}` }
}

function dkimRecord(key: PublicDkimKey | null, isFound: boolean): ProofRecord[] {
  return key ? [{ ...dnsRecordOf(key), isFound }] : []
}

/** Whether the DNS has the record; undefined if it does not answer. White space in DKIM records has no meaning (RFC 6376). */
async function isPublished(
  { services, log }: Ctx,
  { name, value }: Pick<ProofRecord, 'name' | 'value'>,
): Promise<boolean | undefined> {
  const bare = (text: string) => text.replace(/\s+/g, '').replace(/;$/, '')
  try {
    return (await lookUp(services.mail, name)).some((text) => bare(text) === bare(value))
  } catch (error) {
    log.info({ err: error, name }, 'a DNS lookup of a sender domain failed')
    return undefined
  }
}

async function lookUp({ txtRecords }: MailServices, name: string): Promise<readonly string[]> {
  // A name may have many and long records. A proof record is among the first 50 and short.
  return (await txtRecords(name)).slice(0, 50).map((text) => text.slice(0, 4_000))
}

function problemOf(isUnanswered: boolean, key: PublicDkimKey | null): string {
  if (isUnanswered) return 'The DNS did not answer. Try again later.'
  return key ? 'Neither DNS record was found.' : 'The DNS record was not found.'
}

async function find(ctx: Ctx, domain: string): Promise<SenderDomain> {
  const { accountId } = ctx
  const found = await ctx.db.senderDomain.findUnique({ where: { accountId_domain: { accountId, domain } } })
  if (!found) throw notFound()
  return found
}

function notFound() {
  return domainTable.notFound('domain', 'The account has no such sender domain.')
}
