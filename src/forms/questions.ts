import { customFields } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { invalid, Refusal } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { type Form, lock, touch } from './form-list.ts'
import { byId, notFound, type Question, read } from './question-list.ts'
import { contentOver, type GivenQuestion, mostQuestions, newContent, type QuestionContent } from './question-rules.ts'
import type { QuestionType } from './question-types.ts'

/** How many questions a form can ever have had: each may have answers that are kept. */
const mostEver = 2_000

/** A question as clients give it; the custom field by global id or integer, null for none. */
export interface QuestionDetails extends GivenQuestion {
  customFieldId?: string | number | null | undefined
}

export interface NewQuestion extends QuestionDetails {
  label: string
  type: QuestionType
}

/**
 * Adds a question to a form, at the end or at a position. Fails with NOT_FOUND for a form or a custom field that is not
 * there, and with VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: NewQuestion & { formId: string | number; position?: number | null | undefined },
): Promise<{ question: Question }> {
  const { formId, position, ...given } = input
  return inTransaction(ctx, async (tx) => {
    const form = await lock(tx, formId, 'formId')
    const [id] = await insert(tx, form.id, [await contentFor(tx, newContent(given), given)])
    const all = await read(tx, form.id)
    if (all.length > mostQuestions) throw tooMany()
    if (position != null) await place(tx, all, id as number, position)
    await touch(tx, form.id)
    return { question: await again(tx, id as number) }
  })
}

/**
 * Changes a question: only what is sent. Once its form was published this makes a new version of it: answers that were
 * given keep the words and the type that they answered. Fails with NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: QuestionDetails & { id: string | number },
): Promise<{ question: Question }> {
  const { id, ...given } = input
  return inTransaction(ctx, async (tx) => {
    const { form, question } = await lockQuestion(tx, id)
    const content = await contentFor(tx, contentOver(question, given), given)
    if (isSame(content, question)) return { question }
    if (form.publishedAt === null) await write(tx, question, content)
    else await addVersion(tx, question, content)
    await touch(tx, form.id)
    return { question: await again(tx, question.id) }
  })
}

/** Moves a question to another position, counted from 1; the others make room. Fails with NOT_FOUND and VALIDATION_ERROR. */
export async function move(
  ctx: Ctx,
  input: { id: string | number; position: number },
): Promise<{ question: Question }> {
  return inTransaction(ctx, async (tx) => {
    const { form, question } = await lockQuestion(tx, input.id)
    await place(tx, await read(tx, form.id), question.id, input.position)
    await touch(tx, form.id)
    return { question: await again(tx, question.id) }
  })
}

/**
 * Takes a question out of its form; those behind it move up. Once the form was published it is only hidden: the answers to
 * it stay, and submissions can still be found by them. Fails with NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number; form: Form }> {
  return inTransaction(ctx, async (tx) => {
    const { form, question } = await lockQuestion(tx, input.id)
    const where = { accountId_id: { accountId: tx.accountId, id: question.id } }
    if (form.publishedAt === null) await tx.db.question.delete({ where })
    else await tx.db.question.update({ where, data: { removedAt: tx.clock.now() } })
    await tx.sql`
      UPDATE question SET position = position - 1
      WHERE account_id = ${tx.sql.account} AND form_id = ${form.id} AND removed_at IS NULL AND position > ${question.position}`
    return { databaseId: question.id, form: await touch(tx, form.id) }
  })
}

/** Adds the first questions of a new form, in their order. Fails as `create` does, naming each by its place. */
export async function addAll(tx: Ctx, formId: number, given: readonly NewQuestion[]): Promise<void> {
  if (given.length > mostQuestions) throw tooMany()
  const contents: QuestionContent[] = []
  for (const [index, each] of given.entries()) {
    contents.push(await inPlace(index, () => contentFor(tx, newContent(each), each)))
  }
  await insert(tx, formId, contents)
}

/** Says of what is wrong with a question which of them it is. */
async function inPlace<Result>(index: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !error.details) throw error
    const details = Object.entries(error.details).map(([field, messages]) => [`questions.${index}.${field}`, messages])
    throw invalid(Object.fromEntries(details))
  }
}

/** The content with its custom field, which is kept from being deleted until the transaction ends. */
async function contentFor(tx: Ctx, content: QuestionContent, given: QuestionDetails): Promise<QuestionContent> {
  if (given.customFieldId === undefined) return content
  if (given.customFieldId === null) return { ...content, customFieldId: null }
  if (content.type === 'STATEMENT') throw invalid({ customFieldId: ['does not go with a statement'] })
  return { ...content, customFieldId: (await customFields.mustExist(tx, given.customFieldId)).id }
}

/** Adds questions at the end of a form, and answers their ids in order. */
async function insert(tx: Ctx, formId: number, contents: readonly QuestionContent[]): Promise<number[]> {
  if (contents.length === 0) return []
  const now = tx.clock.now()
  const rows = await tx.sql<{ id: number; ever: number }>`
    WITH given AS (
      SELECT g.*, before.n + g.place AS position, before.ever
      FROM jsonb_to_recordset(${JSON.stringify(contents.map((each, index) => ({ ...each, place: index + 1 })))}::jsonb)
        AS g(place int, label text, type question_type, required boolean, options jsonb, points jsonb, "contactField" text,
          "customFieldId" int),
        (SELECT count(*) FILTER (WHERE removed_at IS NULL)::int AS n, count(*)::int AS ever
          FROM question WHERE account_id = ${tx.sql.account} AND form_id = ${formId}) before
    ), made AS (
      INSERT INTO question (account_id, form_id, position, version, created_at)
      SELECT ${tx.sql.account}::int, ${formId}::int, position, 1, ${now}::timestamptz FROM given ORDER BY position
      RETURNING id, position
    ), versions AS (
      INSERT INTO question_version (account_id, question_id, version, label, type, required, options, points, contact_field,
        custom_field_id, created_at)
      SELECT ${tx.sql.account}::int, made.id, 1, label, type, required, options, points, "contactField", "customFieldId",
        ${now}::timestamptz FROM made JOIN given USING (position)
    )
    SELECT made.id, given.ever FROM made JOIN given USING (position) ORDER BY position`
  if ((rows[0]?.ever ?? 0) + rows.length > mostEver) {
    throw invalid({ formId: [`has had ${mostEver} questions already, those that were taken out among them`] })
  }
  return rows.map(({ id }) => id)
}

async function write(tx: Ctx, { id, version }: Question, content: QuestionContent): Promise<void> {
  const { label, type, required, options, points, contactField, customFieldId } = content
  await tx.sql`
    UPDATE question_version SET label = ${label}, type = ${type}::question_type, required = ${required},
      options = ${options && JSON.stringify(options)}::jsonb, points = ${JSON.stringify(points)}::jsonb,
      contact_field = ${contactField}, custom_field_id = ${customFieldId}::int
    WHERE account_id = ${tx.sql.account} AND question_id = ${id} AND version = ${version}`
}

async function addVersion(tx: Ctx, { id, version }: Question, content: QuestionContent): Promise<void> {
  const { label, type, required, options, points, contactField, customFieldId } = content
  await tx.sql`
    INSERT INTO question_version (account_id, question_id, version, label, type, required, options, points, contact_field,
      custom_field_id, created_at)
    VALUES (${tx.sql.account}::int, ${id}::int, ${version + 1}::int, ${label}, ${type}::question_type, ${required},
      ${options && JSON.stringify(options)}::jsonb, ${JSON.stringify(points)}::jsonb, ${contactField}, ${customFieldId}::int,
      ${tx.clock.now()}::timestamptz)`
  await tx.sql`
    UPDATE question SET version = ${version + 1}::int WHERE account_id = ${tx.sql.account} AND id = ${id}`
}

async function place(tx: Ctx, all: readonly Question[], id: number, to: number): Promise<void> {
  if (to < 1 || to > all.length) throw invalid({ position: [`must be from 1 to ${all.length}`] })
  const from = all.find((question) => question.id === id)?.position ?? to
  if (from === to) return
  await tx.sql`
    UPDATE question SET position = CASE
      WHEN id = ${id} THEN ${to}::int
      WHEN position > ${from} AND position <= ${to} THEN position - 1
      WHEN position < ${from} AND position >= ${to} THEN position + 1
      ELSE position END
    WHERE account_id = ${tx.sql.account} AND form_id = ${all[0]?.formId ?? 0} AND removed_at IS NULL`
}

/** The question and its form, which is locked: nobody else changes its questions meanwhile. */
async function lockQuestion(tx: Ctx, given: string | number): Promise<{ form: Form; question: Question }> {
  const id = idOf('Question', given)
  const seen = await tx.load(byId, id)
  if (!seen) throw notFound()
  const form = await lock(tx, seen.formId)
  const question = (await read(tx, form.id)).find((each) => each.id === id)
  if (!question) throw notFound()
  return { form, question }
}

async function again(tx: Ctx, id: number): Promise<Question> {
  tx.load.clear()
  return (await tx.load(byId, id)) as Question
}

function isSame(one: QuestionContent, other: QuestionContent): boolean {
  const facts = ({ label, type, required, options, points, contactField, customFieldId }: QuestionContent) =>
    JSON.stringify([
      label,
      type,
      required,
      options,
      points.map((each) => [each.answer, each.points]),
      contactField,
      customFieldId,
    ])
  return facts(one) === facts(other)
}

function tooMany() {
  return invalid({ questions: [`would be more than the ${mostQuestions} that a form can have`] })
}
