import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { DkimKey } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { one } from '../../db/load.ts'
import { inTransaction } from '../../db/transaction.ts'
import { check, sent, text } from '../../kernel/check.ts'
import { invalid, refuse } from '../../kernel/errors.ts'
import type { OutgoingMessage } from '../../kernel/outgoing-message.ts'
import { seal, unseal } from './sealed.ts'

/** How many domains of an account can sign. */
export const mostDkimKeys = 100

/** A key as it is shown: the private half stays with us. */
export type ShownDkimKey = Omit<DkimKey, 'privateKey'>

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The name of a domain that mail is sent from, in ASCII and lower case. */
export const domainName = text(253)
  .transform((name) => domainToASCII(name.trim()) || name)
  .pipe(
    z
      .string()
      .toLowerCase()
      .max(253)
      .regex(new RegExp(`^(?:${label}\\.)+${label}$`), 'must be a domain name such as example.com'),
  )
const NewKey = z.object({
  domain: domainName,
  selector: text(63)
    .toLowerCase()
    .regex(new RegExp(`^${label}(?:\\.${label})*$`), 'must be small letters, digits and inner hyphens'),
  privateKey: text(10_000).optional(),
})

/** RFC 8301 allows no fewer bits than 1,024; more than 4,096 are not read everywhere, and do not fit into the DNS. */
const [fewestBits, usualBits, mostBits] = [1024, 2048, 4096]

/** What a message's signature covers: Nodemailer's own list, and what RFC 8058 asks for. */
const signedHeaders =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Id:List-Unsubscribe:List-Unsubscribe-Post'

/** The account's keys, by domain: `mostDkimKeys` at most. */
export async function list(ctx: Ctx): Promise<ShownDkimKey[]> {
  return ctx.db.dkimKey.findMany({
    where: { accountId: ctx.accountId },
    omit: { privateKey: true },
    orderBy: { domain: 'asc' },
    take: mostDkimKeys,
  })
}

/** Loads the key of each domain that has one of its own. */
export const byDomain = one<string, ShownDkimKey>(async (ctx, domains) => {
  const rows = await ctx.db.dkimKey.findMany({
    where: { accountId: ctx.accountId, domain: { in: [...domains] } },
    omit: { privateKey: true },
  })
  return new Map(rows.map((row) => [row.domain, row]))
})

/**
 * Sets what signs the messages from a domain, and from the domains below it; what signed them before is forgotten. Without
 * a private key one is made. It is kept sealed and shown to nobody. Fails with VALIDATION_ERROR.
 */
export async function set(
  ctx: Ctx,
  input: { domain: string; selector: string; privateKey?: string | null | undefined },
): Promise<{ dkimKey: ShownDkimKey }> {
  const given = check(NewKey, sent(input))
  const key = given.privateKey === undefined ? await newKey() : readKey(given.privateKey)
  const { accountId } = ctx
  const about = aboutOf(accountId, given.domain)
  const row = {
    selector: given.selector,
    privateKey: seal(secretOf(ctx), about, key.export({ type: 'pkcs8', format: 'pem' }).toString()),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    createdAt: ctx.clock.now(),
  }
  return inTransaction(ctx, async (tx) => {
    const where = { accountId_domain: { accountId, domain: given.domain } }
    const create = { accountId, domain: given.domain, ...row }
    const { privateKey: _sealed, ...dkimKey } = await tx.db.dkimKey.upsert({ where, create, update: row })
    // Two who come at once may make it one or two more than that; what counts is that there is an end.
    const count = await tx.db.dkimKey.count({ where: { accountId } })
    if (count > mostDkimKeys) throw invalid({ domain: [`would be one more than ${mostDkimKeys}, which is the most`] })
    return { dkimKey }
  })
}

/** Forgets a domain's key: its messages are no longer signed. Fails with NOT_FOUND. */
export async function remove(ctx: Ctx, input: { domain: string }): Promise<{ domain: string }> {
  const { domain: name } = check(z.object({ domain: domainName }), input)
  const { count } = await ctx.db.dkimKey.deleteMany({ where: { accountId: ctx.accountId, domain: name } })
  if (count === 0) throw refuse('NOT_FOUND', 'There is no key for this domain.')
  return { domain: name }
}

/** What goes into the DNS for a key: a TXT record of this value, under this name. */
export function recordOf({ selector, domain: name, publicKey }: ShownDkimKey): { name: string; value: string } {
  return { name: `${selector}._domainkey.${name}`, value: `v=DKIM1; k=rsa; p=${publicKey}` }
}

/**
 * What signs the messages of senders, by the sender's domain: its own key, or the nearest one above it. One statement. A key
 * that was sealed with another secret signs nothing, and says so in the log.
 */
export async function signersOf(ctx: Ctx, domains: readonly string[]): Promise<Map<string, OutgoingMessage['dkim']>> {
  const above = (name: string) => {
    const labels = name.split('.')
    return labels.slice(0, -1).map((_, place) => labels.slice(place).join('.'))
  }
  const rows = await ctx.db.dkimKey.findMany({
    where: { accountId: ctx.accountId, domain: { in: [...new Set(domains.flatMap(above))] } },
  })
  const byDomain = new Map(rows.map((row) => [row.domain, row]))
  return new Map(
    domains.flatMap((name) => {
      const row = above(name).flatMap((each) => byDomain.get(each) ?? [])[0]
      if (!row) return []
      const privateKey = unseal(secretOf(ctx), aboutOf(ctx.accountId, row.domain), row.privateKey)
      if (privateKey === undefined) {
        ctx.log.warn({ domain: row.domain }, 'a DKIM key was sealed with another SECRET: its messages go unsigned')
        return []
      }
      const signer = { domainName: row.domain, keySelector: row.selector, privateKey, headerFieldNames: signedHeaders }
      return [[name, signer] as const]
    }),
  )
}

function readKey(pem: string): KeyObject {
  const unreadable = () => invalid({ privateKey: ['must be an RSA private key in PEM form, without a password'] })
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw unreadable()
  }
  if (key.asymmetricKeyType !== 'rsa') throw unreadable()
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < fewestBits || bits > mostBits) {
    throw invalid({ privateKey: [`must have from ${fewestBits} to ${mostBits} bits`] })
  }
  return key
}

async function newKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: usualBits })).privateKey
}

function aboutOf(accountId: number, name: string): string {
  return `dkim ${accountId} ${name}`
}

function secretOf({ secret }: Ctx): string {
  if (secret === undefined) throw new Error('Keys are sealed with the secret of a server.')
  return secret
}
