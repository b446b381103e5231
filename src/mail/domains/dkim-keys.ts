import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { lockKind } from '../../db/account-lock.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { domainLabel, domainName, withParents } from '../../kernel/values/domain-name.ts'
import type { OutgoingMessage } from '../outgoing-message.ts'
import { decrypt, encrypt } from './encryption.ts'

/** Maximum number of DKIM keys of an account. */
export const maxDkimKeys = 100

const keyTable = table('DkimKey', 'k', { noun: 'DKIM key', without: ['privateKey'] })

/** A DKIM key without its private key. */
export type PublicDkimKey = RowOf<typeof keyTable>

const NewKey = z.object({
  domain: domainName,
  selector: text(63)
    .toLowerCase()
    .regex(
      new RegExp(`^${domainLabel}(?:\\.${domainLabel})*$`),
      'must be lower-case letters, digits and inner hyphens',
    ),
  privateKey: text(10_000).optional(),
})

/** RFC 8301 requires at least 1,024 bits. More than 4,096 do not fit into a DNS record and are not supported everywhere. */
const [minBits, defaultBits, maxBits] = [1024, 2048, 4096]

/** Lists the keys of the account, by domain, at most `maxDkimKeys`. */
export async function list(ctx: Ctx): Promise<PublicDkimKey[]> {
  return keyTable.select(ctx, sql`ORDER BY k.domain LIMIT ${maxDkimKeys}::int`)
}

/** Loads keys by id. */
export const { byId } = keyTable

/** Loads keys by domain. Does not include keys of parent domains. */
export const byDomain = keyTable.oneBy('domain')

/**
 * Sets the key that signs messages from a domain and its subdomains, and replaces the previous one. Creates a key if none is
 * given. The private key is stored encrypted and never returned. **Emits** `dkim_key.created` or `dkim_key.updated`. **Throws**
 * VALIDATION_ERROR.
 */
export async function set(
  ctx: Ctx,
  input: { domain: string; selector: string; privateKey?: string | null | undefined },
): Promise<{ dkimKey: PublicDkimKey }> {
  const fields = check(NewKey, sent(input))
  const key = fields.privateKey === undefined ? await createKey() : readKey(fields.privateKey)
  const { accountId } = ctx
  const context = encryptionContext(accountId, fields.domain)
  const row = {
    selector: fields.selector,
    privateKey: encrypt(ctx.signer.secret, context, key.export({ type: 'pkcs8', format: 'pem' }).toString()),
    publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    createdAt: ctx.clock.now(),
  }
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'DKIM keys')
    const where = { accountId_domain: { accountId, domain: fields.domain } }
    const create = { accountId, domain: fields.domain, ...row }
    const former = await tx.load(byDomain, fields.domain)
    const { privateKey: _encrypted, ...dkimKey } = await tx.db.dkimKey.upsert({ where, create, update: row })
    const count = await tx.db.dkimKey.count({ where: { accountId } })
    if (count > maxDkimKeys) throw invalid({ domain: [`exceeds the maximum of ${maxDkimKeys} keys`] }, 'LIMIT_REACHED')
    await emit(tx, former ? 'dkim_key.updated' : 'dkim_key.created', { dkimKeyId: dkimKey.id })
    return { dkimKey }
  })
}

/** Deletes the key of a domain: its messages are no longer signed. **Emits** `dkim_key.deleted`. **Throws** NOT_FOUND. */
export async function remove(ctx: Ctx, input: { domain: string }): Promise<{ databaseId: number; domain: string }> {
  const { domain: name } = check(z.object({ domain: domainName }), input)
  return inTransaction(ctx, async (tx) => {
    const [removed] = await tx.sql<{ databaseId: number }>`
      DELETE FROM dkim_key WHERE account_id = ${tx.sql.account} AND domain = ${name} RETURNING id AS "databaseId"`
    if (!removed) throw keyTable.notFound('domain', 'The domain has no DKIM key.')
    await emit(tx, 'dkim_key.deleted', { dkimKeyId: removed.databaseId })
    return { ...removed, domain: name }
  })
}

/** Returns the TXT record to publish for a key. */
export function dnsRecordOf({ selector, domain: name, publicKey }: PublicDkimKey): { name: string; value: string } {
  return { name: `${selector}._domainkey.${name}`, value: `v=DKIM1; k=rsa; p=${publicKey}` }
}

/**
 * Loads the signers of sender domains: the key of the domain, or of its nearest parent domain. One statement. A key that was
 * encrypted with another secret is not used, and logged as a warning.
 */
export async function loadSigners(ctx: Ctx, domains: readonly string[]): Promise<Map<string, OutgoingMessage['dkim']>> {
  const rows = await ctx.db.dkimKey.findMany({
    where: { accountId: ctx.accountId, domain: { in: [...new Set(domains.flatMap(withParents))] } },
  })
  const byDomain = new Map(rows.map((row) => [row.domain, row]))
  return new Map(
    domains.flatMap((name) => {
      const row = withParents(name).flatMap((each) => byDomain.get(each) ?? [])[0]
      if (!row) return []
      const privateKey = decrypt(ctx.signer.secret, encryptionContext(ctx.accountId, row.domain), row.privateKey)
      if (privateKey === undefined) {
        ctx.log.warn(
          { domain: row.domain },
          'a DKIM key was encrypted with another SECRET: messages from its domain are not signed',
        )
        return []
      }
      const signer = { domainName: row.domain, keySelector: row.selector, privateKey }
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
  if (bits < minBits || bits > maxBits) {
    throw invalid({ privateKey: [`must have from ${minBits} to ${maxBits} bits`] })
  }
  return key
}

async function createKey(): Promise<KeyObject> {
  return (await promisify(generateKeyPair)('rsa', { modulusLength: defaultBits })).privateKey
}

function encryptionContext(accountId: number, name: string): string {
  return `dkim ${accountId} ${name}`
}
