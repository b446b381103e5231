import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { documents, ownAccount } from '../../account/index.ts'
import { looks, mediaUses } from '../../content/index.ts'
import { type Ctx, one } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { type Details, refuse } from '../../kernel/errors.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import { bodyLimits } from '../bodies/email-body.ts'
import { changeOfConditions, ownTextOf } from './body-changes.ts'
import type { CheckedBody } from './body-input.ts'
import { checkMeta, type EmailMeta, readTopic, withoutEmpty } from './email-meta.ts'
import { enqueueRecompilation } from './recompilation-job.ts'

const body = z.object({ html: text(bodyLimits.characters), text: text(bodyLimits.characters) }).partial()

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

/** Loads the blocks of which the bodies of e-mails were made, by ID. */
export const blocksById = one<number, { content: unknown }>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; content: string | null; total: number }>`
    SELECT s.id, s.total::float8 AS total,
      CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN convert_from(s.body, 'UTF8') END AS content
    FROM (
      SELECT m.id, d.body, sum(octet_length(d.body)) OVER () AS total FROM email m
      JOIN document d ON d.account_id = m.account_id AND d.id = m.content_document_id
      WHERE m.account_id = ${ctx.sql.account} AND m.id = ANY(${ids}::int[])
    ) s`
  countRead(ctx.rows, rows[0]?.total, 'contents of e-mails')
  return new Map(rows.map(({ id, content }) => [id, { content: content === null ? null : JSON.parse(content) }]))
})

/** The documents of a body: the column that refers to each, and how it is served. */
interface PartOfBody {
  readonly key: DocumentKey
  readonly extension: string
  readonly contentType: string
}
type DocumentKey = 'htmlDocumentId' | 'textDocumentId' | 'contentDocumentId'
type BodyPart = 'html' | 'text' | 'content'
const parts = {
  html: { key: 'htmlDocumentId', extension: 'html', contentType: 'text/html; charset=utf-8' },
  text: { key: 'textDocumentId', extension: 'txt', contentType: 'text/plain; charset=utf-8' },
  content: { key: 'contentDocumentId', extension: 'json', contentType: 'application/json' },
} as const satisfies Record<BodyPart, PartOfBody>

/**
 * Creates an e-mail without a body, of a campaign, a stage or a confirmation. The sender defaults to that of the account.
 * **Throws** VALIDATION_ERROR, and NOT_FOUND or INVALID_STATE for the topic.
 */
export async function create(tx: Ctx, input: EmailMeta, isConfirmation = false): Promise<Email> {
  const { utm, ...fields } = checkMeta(input)
  const topicId = (await readTopic(tx, input)) ?? null
  const { senderName, senderEmail } = await ownAccount(tx)
  const now = tx.clock.now()
  return tx.db.email.create({
    data: {
      accountId: tx.accountId,
      isConfirmation,
      subject: fields.subject ?? '',
      fromName: fields.fromName ?? senderName,
      fromEmail: fields.fromEmail ?? senderEmail,
      replyTo: fields.replyTo ?? '',
      preheader: fields.preheader ?? '',
      language: fields.language ?? '',
      topicId,
      utm: { ...withoutEmpty({ ...utm }) },
      createdAt: now,
      updatedAt: now,
    },
  })
}

/**
 * Updates the given fields of the envelope, and the given UTM parameters. A test counts no longer if one of the values is another
 * one. **Throws** VALIDATION_ERROR, and NOT_FOUND or INVALID_STATE for the topic.
 */
export async function update(tx: Ctx, id: number, input: EmailMeta): Promise<Email> {
  const { utm, ...fields } = checkMeta(input)
  const before = await tx.db.email.findUnique({ where: keyOf(tx, id) })
  const topicId = await readTopic(tx, input, before?.topicId)
  const change = {
    ...fields,
    ...(topicId !== undefined && { topicId }),
    ...(utm && { utm: withoutEmpty({ ...(before?.utm as object), ...utm }) }),
  }
  const isSame = isDeepStrictEqual({ ...before, ...change }, before)
  const data = { ...change, updatedAt: tx.clock.now(), ...(!isSame && { testedAt: null }) }
  return tx.db.email.update({ where: keyOf(tx, id), data })
}

/**
 * Sets the given parts of a body, which `checkBody` accepted before the transaction. HTML and text are documents whose URLs
 * stay the same when the body changes. If the brand or a reusable block was changed since it was compiled, it is compiled again
 * by a job. **Throws** VALIDATION_ERROR and NOT_FOUND.
 */
export async function setContent(
  tx: Ctx,
  id: number,
  { content, conditions, look, reusableBlockIds = [], ...input }: CheckedBody,
): Promise<Email> {
  const fields = check(body, sent(input))
  // Before the e-mail is locked: a change of the brand has the lock of the look when it locks e-mails.
  const isStale = look !== undefined && (await looks.shareLook(tx, reusableBlockIds))(reusableBlockIds) !== look
  const before = await tx.db.email.findUnique({ where: keyOf(tx, id) })
  if (!before) throw refuse('NOT_FOUND', 'The e-mail was not found.')
  const data: Partial<Record<DocumentKey, number | null>> = {}
  const html = fields.html === '' ? null : fields.html
  const given = { ...fields, html, content: content && JSON.stringify(content) }
  for (const [part, { key }] of Object.entries(parts) as [BodyPart, PartOfBody][]) {
    data[key] = await storePart(tx, id, part, before[key], given[part])
  }
  const email = await tx.db.email.update({
    where: keyOf(tx, id),
    data: {
      ...data,
      ...changeOfConditions(before, fields.text, conditions),
      updatedAt: tx.clock.now(),
      ...noFailures,
      ...(Object.values(given).some((part) => part !== undefined) && { testedAt: null }),
      ...(content !== undefined && { isStale, compileError: null }),
      ...ownTextOf(before, fields.text, content),
    },
  })
  if (isStale) await enqueueRecompilation(tx)
  if (content !== undefined) await storeUses(tx, id, reusableBlockIds)
  const removed = Object.values(parts).flatMap(({ key }) => (email[key] === null ? (before[key] ?? []) : []))
  await documents.remove(tx, removed)
  const field = content ? 'content' : typeof fields.html === 'string' ? 'html' : 'text'
  await mediaUses.record(tx, 'email', { ids: [id], texts: bodiesOf(tx, [id]), field })
  return email
}

/**
 * Copies e-mails with their bodies. Those of blocks are compiled again by a job, because the content of an e-mail that was sent
 * is that of its time. Returns the ids of the copies by the ids of the e-mails. **Throws** VALIDATION_ERROR for the input field
 * `id` if the bodies are too large together.
 */
export async function copyAll(tx: Ctx, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const now = tx.clock.now()
  const sources = await emailTable.select(tx, sql`AND m.id = ANY(${ids}::int[]) ORDER BY m.id`)
  // Ids are assigned in the order of the originals.
  const inserted = await tx.sql<{ id: number }>`
    INSERT INTO email (account_id, subject, from_name, from_email, reply_to, preheader, language, topic_id, utm, conditions,
      conditions_version, has_own_text, is_confirmation, created_at, updated_at)
    SELECT account_id, subject, from_name, from_email, reply_to, preheader, language, topic_id, utm, conditions,
      conditions_version, has_own_text, is_confirmation, ${now}::timestamptz, ${now}::timestamptz FROM email
    WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[]) ORDER BY id RETURNING id`
  const copyIds = inserted.map(({ id }) => id).sort((one, other) => one - other)
  const copies = sources.map((source, place) => ({ ...source, copyId: copyIds[place] as number }))
  const documentIds = await documents.copyAll(
    tx,
    copies.flatMap((copy) =>
      Object.values(parts).flatMap(({ key, extension }) => {
        const document = copy[key]
        return document === null ? [] : [{ id: document, name: `email-${copy.copyId}.${extension}` }]
      }),
    ),
  )
  const copiesOf = (key: DocumentKey) =>
    copies.map(({ [key]: document }) => (document === null ? null : (documentIds.get(document) ?? null)))
  await tx.sql`
    UPDATE email m SET html_document_id = given.html, text_document_id = given.plain, content_document_id = given.content,
      is_stale = given.content IS NOT NULL
    FROM unnest(${copyIds}::int[], ${copiesOf('htmlDocumentId')}::int[], ${copiesOf('textDocumentId')}::int[],
      ${copiesOf('contentDocumentId')}::int[]) AS given(id, html, plain, content)
    WHERE m.account_id = ${tx.sql.account} AND m.id = given.id`
  await mediaUses.copy(
    tx,
    'email',
    copies.map(({ id, copyId }) => ({ source: id, copy: copyId })),
  )
  if (sources.some(({ contentDocumentId }) => contentDocumentId !== null)) {
    await tx.sql`
      INSERT INTO reusable_block_use (account_id, email_id, reusable_block_id)
      SELECT u.account_id, given.copy, u.reusable_block_id
      FROM unnest(${copies.map(({ id }) => id)}::int[], ${copyIds}::int[]) AS given(id, copy)
      JOIN reusable_block_use u ON u.account_id = ${tx.sql.account} AND u.email_id = given.id`
    await enqueueRecompilation(tx)
  }
  return new Map(copies.map(({ id, copyId }) => [id, copyId]))
}

/** Returns SQL that selects the id of e-mails and the text of each part of their bodies. */
function bodiesOf(tx: Ctx, ids: readonly number[]): Sql {
  return sql`SELECT m.id, convert_from(d.body, 'UTF8') ${bodyDocuments(tx, ids)}`
}

function bodyDocuments(tx: Ctx, ids: readonly number[]): Sql {
  return sql`FROM email m JOIN document d ON d.account_id = m.account_id
      AND d.id IN (m.html_document_id, m.text_document_id, m.content_document_id)
    WHERE m.account_id = ${tx.sql.account} AND m.id = ANY(${ids}::int[])`
}

/**
 * Replaces parts of the bodies of e-mails with others of the same length. **Throws** INVALID_STATE if the bodies are too large
 * together.
 */
export async function replaceInBodies(
  tx: Ctx,
  ids: readonly number[],
  replacements: ReadonlyMap<string, string>,
): Promise<void> {
  const [size] = await tx.sql<{ bytes: number }>`
    SELECT coalesce(sum(octet_length(d.body)), 0)::float8 AS bytes ${bodyDocuments(tx, ids)}`
  mediaUses.mustBeReplaceable(size?.bytes ?? 0)
  await tx.sql`
    UPDATE document d
    SET body = convert_to(${mediaUses.withReplacements(sql`convert_from(d.body, 'UTF8')`, replacements)}, 'UTF8')
    WHERE d.account_id = ${tx.sql.account} AND d.id IN (SELECT d.id ${bodyDocuments(tx, ids)})`
  const updatedAt = tx.clock.now()
  await tx.db.email.updateMany({
    where: { accountId: tx.accountId, id: { in: [...ids] } },
    data: { updatedAt, testedAt: null, ...noFailures },
  })
}

/** Stores which reusable blocks the content of an e-mail contains. One that was deleted meanwhile is in none. */
async function storeUses(tx: Ctx, emailId: number, reusableBlockIds: readonly number[]): Promise<void> {
  await tx.sql`
    DELETE FROM reusable_block_use WHERE account_id = ${tx.sql.account} AND email_id = ${emailId}
      AND NOT reusable_block_id = ANY(${reusableBlockIds}::int[])`
  if (reusableBlockIds.length === 0) return
  await tx.sql`
    INSERT INTO reusable_block_use (account_id, email_id, reusable_block_id)
    SELECT b.account_id, ${emailId}::int, b.id FROM reusable_block b
    WHERE b.account_id = ${tx.sql.account} AND b.id = ANY(${reusableBlockIds}::int[]) ON CONFLICT DO NOTHING`
}

/** The values of a body that was not rendered yet. */
const noFailures = { renderFailures: 0, renderError: null, renderEndedAt: null }

/** Resets the failures of an e-mail, so that it is rendered again. */
export async function resetRenderFailures(tx: Ctx, id: number): Promise<void> {
  await tx.db.email.update({ where: keyOf(tx, id), data: noFailures })
}

/**
 * Records that a test of an e-mail was sent, unless the e-mail was changed since `tested` was read. Nothing that users edit is
 * changed, so `updatedAt` stays.
 */
export async function markTested(ctx: Ctx, tested: Pick<Email, 'id' | 'updatedAt'>): Promise<void> {
  const { id, updatedAt } = tested
  await ctx.db.email.updateMany({
    where: { accountId: ctx.accountId, id, updatedAt },
    data: { testedAt: ctx.clock.now() },
  })
}

/** Deletes e-mails with their bodies. */
export async function remove(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const deleted = await tx.sql<Pick<Email, DocumentKey>>`
    DELETE FROM email WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])
    RETURNING html_document_id AS "htmlDocumentId", text_document_id AS "textDocumentId", content_document_id AS "contentDocumentId"`
  const bodies = deleted.flatMap((email) => Object.values(parts).map(({ key }) => email[key]))
  await documents.remove(
    tx,
    bodies.filter((document) => document !== null),
  )
}

/** Counts the e-mails that name a topic. */
export async function countWithTopic(ctx: Ctx, topicId: number): Promise<number> {
  return ctx.db.email.count({ where: { accountId: ctx.accountId, topicId } })
}

/** Whether an e-mail has HTML, or a text alone. */
export function hasBody({ htmlDocumentId, textDocumentId }: Pick<Email, 'htmlDocumentId' | 'textDocumentId'>): boolean {
  return htmlDocumentId !== null || textDocumentId !== null
}

/** Returns the errors of an e-mail that is not ready to be sent, by field. Undefined if it is ready. */
export function findMissingFields(email: Email): Details | undefined {
  const isMissing = {
    subject: email.subject.trim() === '',
    fromEmail: email.fromEmail === '',
    html: !hasBody(email),
  }
  const missing = Object.entries(isMissing).filter(([, is]) => is)
  return missing.length > 0 ? Object.fromEntries(missing.map(([field]) => [field, ['is not set yet']])) : undefined
}

/** Stores a part of a body as a new document, or replaces it. Undefined keeps the document, and null leaves none. */
async function storePart(
  tx: Ctx,
  emailId: number,
  part: BodyPart,
  documentId: number | null,
  body: string | null | undefined,
): Promise<number | null> {
  if (body === undefined || body === null) return body === null ? null : documentId
  const bytes = new TextEncoder().encode(body)
  const { extension, contentType } = parts[part]
  const name = `email-${emailId}.${extension}`
  if (documentId === null) return (await documents.store(tx, { name, contentType, body: bytes })).id
  await documents.replace(tx, documentId, bytes)
  return documentId
}

function keyOf(tx: Ctx, id: number) {
  return { accountId_id: { accountId: tx.accountId, id } }
}
