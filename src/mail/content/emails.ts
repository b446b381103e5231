import { z } from 'zod'
import type { Email } from '../../../prisma/generated/client/client.ts'
import { documents, ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { one } from '../../db/load.ts'
import { sql } from '../../db/sql.ts'
import { check, email, sent, text } from '../../kernel/check.ts'
import { type Details, refuse } from '../../kernel/errors.ts'
import { bodyLimits } from './email-body.ts'

/** A line break would let whoever writes a subject write other headers too. */
const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), 'must be one line')

/** Whom an e-mail comes from, and what it is about; longer subjects break the line limit of RFC 5322. */
const meta = z
  .object({
    subject: line(900),
    fromName: line(255),
    fromEmail: z.union([z.literal(''), email], 'must be an e-mail address'),
  })
  .partial()

const content = z.object({ html: text(bodyLimits.characters), text: text(bodyLimits.characters) }).partial()

type Given<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }
export type EmailMeta = Given<z.output<typeof meta>>
/** The two forms of a body. An empty text means: made from the HTML when it is sent. */
export type EmailContent = Given<z.output<typeof content>>

const columns = sql`m.account_id AS "accountId", m.id, m.subject, m.from_name AS "fromName", m.from_email AS "fromEmail",
  m.html_document_id AS "htmlDocumentId", m.text_document_id AS "textDocumentId", m.created_at AS "createdAt",
  m.updated_at AS "updatedAt", m.render_failures AS "renderFailures", m.render_error AS "renderError"`

/** Reads e-mails by id. */
export const byId = one<number, Email>(async (ctx, ids) => {
  const rows = await ctx.sql<Email>`
    SELECT ${columns} FROM email m WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** The bodies of e-mails, by id: null where one was never set. */
export const contentOf = one<number, { html: string | null; text: string | null }>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; html: string | null; text: string | null }>`
    SELECT m.id, convert_from(h.body, 'UTF8') AS html, convert_from(t.body, 'UTF8') AS text FROM email m
    LEFT JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
    LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${ids}::int[])`
  return new Map(rows.map(({ id, html, text }) => [id, { html, text }]))
})

/** Makes an e-mail without a body; the sender is the account's own where none is given. Fails with VALIDATION_ERROR. */
export async function create(tx: Ctx, input: EmailMeta): Promise<Email> {
  const given = check(meta, sent(input))
  const { senderName, senderEmail } = await ownAccount(tx)
  const now = tx.clock.now()
  return tx.db.email.create({
    data: {
      accountId: tx.accountId,
      subject: given.subject ?? '',
      fromName: given.fromName ?? senderName,
      fromEmail: given.fromEmail ?? senderEmail,
      createdAt: now,
      updatedAt: now,
    },
  })
}

/** Changes what an e-mail is about and whom it comes from: only what is sent. Fails with VALIDATION_ERROR. */
export async function update(tx: Ctx, id: number, input: EmailMeta): Promise<Email> {
  const change = check(meta, sent(input))
  return tx.db.email.update({ where: keyOf(tx, id), data: { ...sent(change), updatedAt: tx.clock.now() } })
}

/**
 * Sets an e-mail's body: only the forms that are sent. Each is a document with an address of its own, which stays the
 * same however often the body is set. The caller has checked before its transaction that the body can be sent
 * (`mustBeUsable`). Fails with VALIDATION_ERROR.
 */
export async function setContent(tx: Ctx, id: number, input: EmailContent): Promise<Email> {
  const given = check(content, sent(input))
  const before = await tx.db.email.findUnique({ where: keyOf(tx, id) })
  if (!before) throw refuse('NOT_FOUND', 'There is no such e-mail.')
  const html = await written(tx, before.htmlDocumentId, `email-${id}.html`, 'text/html; charset=utf-8', given.html)
  const plain = await written(tx, before.textDocumentId, `email-${id}.txt`, 'text/plain; charset=utf-8', given.text)
  const data = { htmlDocumentId: html, textDocumentId: plain, updatedAt: tx.clock.now(), ...untried }
  return tx.db.email.update({ where: keyOf(tx, id), data })
}

/** Nothing is known against the body yet. */
const untried = { renderFailures: 0, renderError: null }

/** Lets an e-mail that could not be rendered be tried again as often as at first. */
export async function retry(tx: Ctx, id: number): Promise<void> {
  await tx.db.email.update({ where: keyOf(tx, id), data: untried })
}

/** Deletes e-mails with their bodies. */
export async function remove(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const gone = await tx.sql<Pick<Email, 'htmlDocumentId' | 'textDocumentId'>>`
    DELETE FROM email WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])
    RETURNING html_document_id AS "htmlDocumentId", text_document_id AS "textDocumentId"`
  const bodies = gone.flatMap(({ htmlDocumentId, textDocumentId }) => [htmlDocumentId, textDocumentId])
  await documents.remove(
    tx,
    bodies.filter((document) => document !== null),
  )
}

/** Returns what an e-mail lacks to be sent, by field; undefined if it lacks nothing. */
export function missingIn(email: Email): Details | undefined {
  const lacks = { subject: email.subject.trim() === '', fromEmail: email.fromEmail === '', html: !email.htmlDocumentId }
  const missing = Object.entries(lacks).filter(([, isMissing]) => isMissing)
  return missing.length > 0 ? Object.fromEntries(missing.map(([field]) => [field, ['is not set yet']])) : undefined
}

async function written(
  tx: Ctx,
  documentId: number | null,
  name: string,
  contentType: string,
  body: string | undefined,
): Promise<number | null> {
  if (body === undefined) return documentId
  const bytes = new TextEncoder().encode(body)
  if (documentId === null) return (await documents.store(tx, { name, contentType, body: bytes })).id
  await documents.replace(tx, documentId, bytes)
  return documentId
}

function keyOf(tx: Ctx, id: number) {
  return { accountId_id: { accountId: tx.accountId, id } }
}
