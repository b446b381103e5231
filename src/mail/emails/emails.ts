import { z } from 'zod'
import { documents, ownAccount } from '../../account/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { type Details, refuse } from '../../kernel/errors.ts'
import { check, email, sent, text } from '../../kernel/values/check.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import { bodyLimits } from '../bodies/email-body.ts'

/** One line: a line break in a header would begin another header. */
const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), 'must be one line')

/** Subject and sender. Longer subjects exceed the line limit of RFC 5322. */
const meta = z
  .object({
    subject: line(900),
    fromName: line(255),
    fromEmail: z.union([z.literal(''), email], 'must be a valid e-mail address'),
  })
  .partial()

const content = z.object({ html: text(bodyLimits.characters), text: text(bodyLimits.characters) }).partial()

type NullableInput<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }
export type EmailMeta = NullableInput<z.output<typeof meta>>
/** The body. An empty text is generated from the HTML when messages are rendered. */
export type EmailContent = NullableInput<z.output<typeof content>>

const emailTable = table('Email', 'm')
export type Email = RowOf<typeof emailTable>

/** Loads e-mails by ID. */
export const { byId } = emailTable

/** Loads the bodies of e-mails by ID. `html` and `text` are null if they were never set. */
export const contentById = one<number, { html: string | null; text: string | null }>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; html: string | null; text: string | null; total: number }>`
    SELECT s.id, s.total::float8 AS total, CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN convert_from(s.html, 'UTF8') END AS html,
      CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN convert_from(s.text, 'UTF8') END AS text
    FROM (
      SELECT m.id, h.body AS html, t.body AS text,
        sum(coalesce(octet_length(h.body), 0) + coalesce(octet_length(t.body), 0)) OVER () AS total
      FROM email m
      LEFT JOIN document h ON h.account_id = m.account_id AND h.id = m.html_document_id
      LEFT JOIN document t ON t.account_id = m.account_id AND t.id = m.text_document_id
      WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${ids}::int[])
    ) s`
  countRead(ctx.rows, rows[0]?.total, 'bodies of e-mails')
  return new Map(rows.map(({ id, html, text }) => [id, { html, text }]))
})

/** Creates an e-mail without a body. The sender defaults to that of the account. **Throws** VALIDATION_ERROR. */
export async function create(tx: Ctx, input: EmailMeta): Promise<Email> {
  const fields = check(meta, sent(input))
  const { senderName, senderEmail } = await ownAccount(tx)
  const now = tx.clock.now()
  return tx.db.email.create({
    data: {
      accountId: tx.accountId,
      subject: fields.subject ?? '',
      fromName: fields.fromName ?? senderName,
      fromEmail: fields.fromEmail ?? senderEmail,
      createdAt: now,
      updatedAt: now,
    },
  })
}

/** Updates the given fields of subject and sender. **Throws** VALIDATION_ERROR. */
export async function update(tx: Ctx, id: number, input: EmailMeta): Promise<Email> {
  const change = check(meta, sent(input))
  return tx.db.email.update({ where: keyOf(tx, id), data: { ...sent(change), updatedAt: tx.clock.now() } })
}

/**
 * Sets the given fields of a body. HTML and text are documents whose URLs stay the same when the body changes. The caller
 * must validate the body with `validateEmailBody` before its transaction. **Throws** VALIDATION_ERROR and NOT_FOUND.
 */
export async function setContent(tx: Ctx, id: number, input: EmailContent): Promise<Email> {
  const fields = check(content, sent(input))
  const before = await tx.db.email.findUnique({ where: keyOf(tx, id) })
  if (!before) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const html = await storeDocument(
    tx,
    before.htmlDocumentId,
    `email-${id}.html`,
    'text/html; charset=utf-8',
    fields.html,
  )
  const plain = await storeDocument(
    tx,
    before.textDocumentId,
    `email-${id}.txt`,
    'text/plain; charset=utf-8',
    fields.text,
  )
  const data = { htmlDocumentId: html, textDocumentId: plain, updatedAt: tx.clock.now(), ...noFailures }
  return tx.db.email.update({ where: keyOf(tx, id), data })
}

/**
 * Copies e-mails with their bodies. Returns the ids of the copies by the ids of the e-mails. **Throws** VALIDATION_ERROR for
 * the input field `id` if the bodies are too large together.
 */
export async function copyAll(tx: Ctx, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const now = tx.clock.now()
  const sources = await emailTable.select(tx, sql`AND m.id = ANY(${ids}::int[]) ORDER BY m.id`)
  // Ids are assigned in the order of the originals.
  const inserted = await tx.sql<{ id: number }>`
    INSERT INTO email (account_id, subject, from_name, from_email, created_at, updated_at)
    SELECT account_id, subject, from_name, from_email, ${now}::timestamptz, ${now}::timestamptz FROM email
    WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[]) ORDER BY id RETURNING id`
  const copyIds = inserted.map(({ id }) => id).sort((one, other) => one - other)
  const copies = sources.map((source, place) => ({ ...source, copyId: copyIds[place] as number }))
  const documentIds = await documents.copyAll(
    tx,
    copies.flatMap(({ htmlDocumentId, textDocumentId, copyId }) => [
      ...(htmlDocumentId === null ? [] : [{ id: htmlDocumentId, name: `email-${copyId}.html` }]),
      ...(textDocumentId === null ? [] : [{ id: textDocumentId, name: `email-${copyId}.txt` }]),
    ]),
  )
  const copyOf = (documentId: number | null) => (documentId === null ? null : (documentIds.get(documentId) ?? null))
  await tx.sql`
    UPDATE email m SET html_document_id = given.html, text_document_id = given.plain
    FROM unnest(${copyIds}::int[], ${copies.map((each) => copyOf(each.htmlDocumentId))}::int[],
      ${copies.map((each) => copyOf(each.textDocumentId))}::int[]) AS given(id, html, plain)
    WHERE m.account_id = ${tx.sql.account} AND m.id = given.id`
  return new Map(copies.map(({ id, copyId }) => [id, copyId]))
}

/** The values of a body that was not rendered yet. */
const noFailures = { renderFailures: 0, renderError: null, renderEndedAt: null }

/** Resets the failures of an e-mail, so that it is rendered again. */
export async function resetRenderFailures(tx: Ctx, id: number): Promise<void> {
  await tx.db.email.update({ where: keyOf(tx, id), data: noFailures })
}

/** Deletes e-mails with their bodies. */
export async function remove(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const deleted = await tx.sql<Pick<Email, 'htmlDocumentId' | 'textDocumentId'>>`
    DELETE FROM email WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])
    RETURNING html_document_id AS "htmlDocumentId", text_document_id AS "textDocumentId"`
  const bodies = deleted.flatMap(({ htmlDocumentId, textDocumentId }) => [htmlDocumentId, textDocumentId])
  await documents.remove(
    tx,
    bodies.filter((document) => document !== null),
  )
}

/** Returns the errors of an e-mail that is not ready to be sent, by field. Undefined if it is ready. */
export function findMissingFields(email: Email): Details | undefined {
  const isMissing = {
    subject: email.subject.trim() === '',
    fromEmail: email.fromEmail === '',
    html: !email.htmlDocumentId,
  }
  const missing = Object.entries(isMissing).filter(([, is]) => is)
  return missing.length > 0 ? Object.fromEntries(missing.map(([field]) => [field, ['is not set yet']])) : undefined
}

/** Stores a body as a new document, or replaces it. Undefined keeps the document. */
async function storeDocument(
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
