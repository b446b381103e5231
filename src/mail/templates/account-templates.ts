import { z } from 'zod'
import { looks, newContentPlaces, readCondition } from '../../content/index.ts'
import type { MessageDocument } from '../../content/rendering.ts'
import { lockKind } from '../../db/account-lock.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, emitAll } from '../../events/index.ts'
import { nameOfCopy } from '../../kernel/copies.ts'
import { invalid, refuse, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { compile } from '../compile/compiler.ts'
import { byId, contentById, type EmailTemplate, lock, notFound } from './account-template-list.ts'

/** Maximum templates of an account. */
export const maxTemplates = 1_000

const NewTemplate = z.object({ name: name(255) })
const TemplateChange = NewTemplate.partial()

export const { places: mediaPlaces, recordUses } = newContentPlaces({
  kind: 'template',
  type: 'EmailTemplate',
  table: sql`email_template`,
  announce: (tx, ids) =>
    emitAll(
      tx,
      'email_template.updated',
      ids.map((emailTemplateId) => ({ emailTemplateId })),
    ),
})

type Id = string | number
interface TemplatePayload {
  readonly emailTemplate: EmailTemplate
}

/** A document that can be stored, and the reusable blocks in it. */
interface TemplateContent {
  readonly content: MessageDocument
  readonly reusableBlockIds: readonly number[]
}

/**
 * Creates a template from a document, or from the content of an e-mail.
 *
 * **Emits** `email_template.created`. **Throws** VALIDATION_ERROR for `content` or `emailId`, NOT_FOUND for an unknown e-mail,
 * QUOTA_EXCEEDED if the account has 1,000 templates, and RATE_LIMITED if too much work waits.
 */
export async function create(
  ctx: Ctx,
  input: { name: string; content?: unknown; emailId?: Id | null | undefined },
): Promise<TemplatePayload> {
  const fields = check(NewTemplate, { name: input.name })
  if ((input.content == null) === (input.emailId == null)) {
    throw invalid({ content: ['must be given, or emailId instead'] })
  }
  const content =
    input.emailId == null
      ? await compileContent(ctx, input.content)
      : await compile(ctx, await contentOfEmail(ctx, input.emailId))
  return inTransaction(ctx, (tx) => insert(tx, fields.name, content))
}

/**
 * Updates a template; absent fields stay. Messages that began with it stay as they are.
 *
 * **Emits** `email_template.updated`. **Throws** NOT_FOUND, VALIDATION_ERROR and RATE_LIMITED.
 */
export async function update(
  ctx: Ctx,
  input: { id: Id; name?: string | null | undefined; content?: unknown },
): Promise<TemplatePayload> {
  const fields = sent(check(TemplateChange, sent({ name: input.name })))
  const compiled = input.content == null ? undefined : await compileContent(ctx, input.content)
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    const data = { ...fields, ...(compiled && { content: stored(compiled.content) }), updatedAt: tx.clock.now() }
    const emailTemplate = await tx.db.emailTemplate.update({ where: keyOf(tx, id), data, omit: { content: true } })
    if (compiled) {
      await storeUses(tx, id, compiled.reusableBlockIds)
      await recordUses(tx, id)
    }
    await emit(tx, 'email_template.updated', { emailTemplateId: id })
    return { emailTemplate }
  })
}

/**
 * Creates a copy of a template. The name defaults to `Copy of …`. **Emits** `email_template.created`. **Throws** NOT_FOUND,
 * VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function duplicate(
  ctx: Ctx,
  input: { id: Id; name?: string | null | undefined },
): Promise<TemplatePayload> {
  const fields = check(TemplateChange, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lock(tx, input.id, 'id', 'FOR SHARE')
    const content = (await tx.load(contentById, source.id))?.content as MessageDocument
    const rows = await tx.sql<{ id: number }>`
      SELECT reusable_block_id AS id FROM template_block_use
      WHERE account_id = ${tx.sql.account} AND template_id = ${source.id}`
    const reusableBlockIds = rows.map(({ id }) => id)
    return insert(tx, fields.name ?? nameOfCopy(source.name), { content, reusableBlockIds })
  })
}

/** Deletes a template. Messages that began with it stay. **Emits** `email_template.deleted`. **Throws** NOT_FOUND. */
export async function remove(ctx: Ctx, input: { id: Id }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    await tx.db.emailTemplate.delete({ where: keyOf(tx, id) })
    await emit(tx, 'email_template.deleted', { emailTemplateId: id })
    return { databaseId: id }
  })
}

/** Returns the document of a template for an input. **Throws** NOT_FOUND for the field `templateId`. */
export async function contentOf(ctx: Ctx, templateId: Id): Promise<MessageDocument> {
  const id = idOf('EmailTemplate', templateId, 'templateId')
  const content = (await ctx.load(byId, id)) && (await ctx.load(contentById, id))?.content
  if (!content) throw notFound('templateId', 'There is no such template.')
  return content
}

/** Compiles a document of a client, whose conditions must be valid for its key. */
async function compileContent(ctx: Ctx, document: unknown): Promise<TemplateContent> {
  const compiled = await compile(ctx, document)
  for (const { filter, paths } of compiled.conditions) await readCondition(ctx, filter, `${paths[0]}.showTo`)
  return compiled
}

/** Returns the document of an e-mail. */
async function contentOfEmail(ctx: Ctx, emailId: Id): Promise<unknown> {
  const id = idOf('Email', emailId, 'emailId')
  const [email] = await ctx.sql<{ content: string | null }>`
    SELECT convert_from(d.body, 'UTF8') AS content FROM email m
    LEFT JOIN document d ON d.account_id = m.account_id AND d.id = m.content_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.id = ${id}`
  if (!email) throw refuseValue('emailId', 'NOT_FOUND', 'There is no such e-mail.')
  if (email.content === null) throw invalid({ emailId: ['must be an e-mail of blocks'] })
  return JSON.parse(email.content)
}

async function insert(
  tx: Ctx,
  title: string,
  { content, reusableBlockIds }: TemplateContent,
): Promise<TemplatePayload> {
  await lockKind(tx, 'templates')
  if ((await tx.db.emailTemplate.count({ where: { accountId: tx.accountId } })) >= maxTemplates) {
    throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxTemplates} templates.`)
  }
  const now = tx.clock.now()
  const data = { name: title, content: stored(content), accountId: tx.accountId, createdAt: now, updatedAt: now }
  const emailTemplate = await tx.db.emailTemplate.create({ data, omit: { content: true } })
  await storeUses(tx, emailTemplate.id, reusableBlockIds)
  await recordUses(tx, emailTemplate.id)
  await emit(tx, 'email_template.created', { emailTemplateId: emailTemplate.id })
  return { emailTemplate }
}

/** Stores which reusable blocks a template contains. */
async function storeUses(tx: Ctx, templateId: number, reusableBlockIds: readonly number[]): Promise<void> {
  await tx.sql`DELETE FROM template_block_use WHERE account_id = ${tx.sql.account} AND template_id = ${templateId}`
  if (reusableBlockIds.length === 0) return
  // A block that is deleted at this moment is missing in the document, like one that was deleted before.
  await looks.shareLook(tx, reusableBlockIds)
  await tx.sql`
    INSERT INTO template_block_use (account_id, template_id, reusable_block_id)
    SELECT b.account_id, ${templateId}::int, b.id FROM reusable_block b
    WHERE b.account_id = ${tx.sql.account} AND b.id = ANY(${reusableBlockIds}::int[])`
}

function stored(content: MessageDocument) {
  return JSON.parse(JSON.stringify(content)) as object
}

function keyOf(tx: Ctx, id: number) {
  return { accountId_id: { accountId: tx.accountId, id } }
}
