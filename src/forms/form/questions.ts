import { customFields } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { atPath, invalid, invalidStored } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { type Form, lock, markUpdated } from './form-list.ts'
import { byId, notFound, type Question, readQuestions } from './question-list.ts'
import {
  maxQuestions,
  mergeQuestionContent,
  newQuestionContent,
  type QuestionContent,
  type QuestionContentInput,
} from './question-rules.ts'
import type { QuestionType } from './question-types.ts'

/** Maximum number of questions of a form, including removed ones, which are stored because of their answers. */
const maxQuestionsEver = 2_000

/** Input of a question. `customFieldId` is a global ID or an integer; null removes the custom field. */
interface QuestionInput extends QuestionContentInput {
  customFieldId?: string | number | null | undefined
}

export interface NewQuestion extends QuestionInput {
  label: string
  type: QuestionType
}

/**
 * Adds a question to a form, at the end or at a position.
 *
 * **Emits** `form.updated`. **Throws** NOT_FOUND if the form or the custom field does not exist, and VALIDATION_ERROR.
 */
export async function create(
  ctx: Ctx,
  input: NewQuestion & { formId: string | number; position?: number | null | undefined },
): Promise<{ question: Question }> {
  const { formId, position, ...content } = input
  return inTransaction(ctx, async (tx) => {
    const form = await lock(tx, formId, 'formId')
    const [id] = await insert(tx, form.id, [await resolveCustomField(tx, newQuestionContent(content), content)])
    const all = await readQuestions(tx, form.id)
    if (all.length > maxQuestions) throw invalidStored('formId', { questions: [tooMany] })
    if (position != null) await moveTo(tx, all, id as number, position)
    await markUpdated(tx, form.id)
    return { question: await reload(tx, id as number) }
  })
}

/**
 * Updates the fields of a question that the input contains. After the form was first published, this adds a new version of
 * the question, and existing answers keep theirs.
 *
 * **Emits** `form.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: QuestionInput & { id: string | number },
): Promise<{ question: Question }> {
  const { id, ...change } = input
  return inTransaction(ctx, async (tx) => {
    const { form, question } = await lockQuestion(tx, id)
    const content = await resolveCustomField(tx, mergeQuestionContent(question, change), change)
    if (isSame(content, question)) return { question }
    if (form.publishedAt === null) await updateVersion(tx, question, content)
    else await addVersion(tx, question, content)
    await tx.sql`
      UPDATE question SET updated_at = ${tx.clock.now()}::timestamptz WHERE account_id = ${tx.sql.account} AND id = ${question.id}`
    await markUpdated(tx, form.id)
    return { question: await reload(tx, question.id) }
  })
}

/**
 * Moves a question to another position, starting at 1. **Emits** `form.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function move(
  ctx: Ctx,
  input: { id: string | number; position: number },
): Promise<{ question: Question }> {
  return inTransaction(ctx, async (tx) => {
    const { form, question } = await lockQuestion(tx, input.id)
    await moveTo(tx, await readQuestions(tx, form.id), question.id, input.position)
    await markUpdated(tx, form.id)
    return { question: await reload(tx, question.id) }
  })
}

/**
 * Removes a question from its form. After the form was first published, the question is only marked as removed, so that its
 * answers stay and submissions can be found by them. **Emits** `form.updated`. **Throws** NOT_FOUND.
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
    return { databaseId: question.id, form: await markUpdated(tx, form.id) }
  })
}

/** Adds the questions of a new form. **Throws** as `create`, with the path of the question. */
export async function addAll(tx: Ctx, formId: number, inputs: readonly NewQuestion[]): Promise<void> {
  if (inputs.length > maxQuestions) throw invalid({ questions: [tooMany] })
  const contents: QuestionContent[] = []
  for (const [index, each] of inputs.entries()) {
    contents.push(await atPath(`questions.${index}`, () => resolveCustomField(tx, newQuestionContent(each), each)))
  }
  await insert(tx, formId, contents)
}

/** Sets the custom field of a content. The custom field cannot be deleted until the transaction ends. */
async function resolveCustomField(tx: Ctx, content: QuestionContent, input: QuestionInput): Promise<QuestionContent> {
  if (input.customFieldId === undefined) return content
  if (input.customFieldId === null) return { ...content, customFieldId: null }
  if (content.type === 'STATEMENT') throw invalid({ customFieldId: ['must be null for a statement'] })
  return { ...content, customFieldId: (await customFields.mustExist(tx, input.customFieldId)).id }
}

/** Adds questions to the end of a form. Returns their IDs in order. */
async function insert(tx: Ctx, formId: number, contents: readonly QuestionContent[]): Promise<number[]> {
  if (contents.length === 0) return []
  const now = tx.clock.now()
  const rows = await tx.sql<{ id: number; ever: number }>`
    WITH input AS (
      SELECT i.*, existing.current + i.index AS position, existing.ever
      FROM jsonb_to_recordset(${JSON.stringify(contents.map((each, index) => ({ ...each, index: index + 1 })))}::jsonb)
        AS i(index int, label text, type question_type, required boolean, options jsonb, points jsonb, "contactField" text,
          "customFieldId" int),
        (SELECT count(*) FILTER (WHERE removed_at IS NULL)::int AS current, count(*)::int AS ever
          FROM question WHERE account_id = ${tx.sql.account} AND form_id = ${formId}) existing
    ), inserted AS (
      INSERT INTO question (account_id, form_id, position, version, created_at, updated_at)
      SELECT ${tx.sql.account}::int, ${formId}::int, position, 1, ${now}::timestamptz, ${now}::timestamptz FROM input ORDER BY position
      RETURNING id, position
    ), versions AS (
      INSERT INTO question_version (account_id, question_id, version, label, type, required, options, points, contact_field,
        custom_field_id, created_at)
      SELECT ${tx.sql.account}::int, inserted.id, 1, label, type, required, options, points, "contactField", "customFieldId",
        ${now}::timestamptz FROM inserted JOIN input USING (position)
    )
    SELECT inserted.id, input.ever FROM inserted JOIN input USING (position) ORDER BY position`
  if ((rows[0]?.ever ?? 0) + rows.length > maxQuestionsEver) {
    throw invalid({ formId: [`must be a form with at most ${maxQuestionsEver} questions, including removed ones`] })
  }
  return rows.map(({ id }) => id)
}

async function updateVersion(tx: Ctx, { id, version }: Question, content: QuestionContent): Promise<void> {
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

async function moveTo(tx: Ctx, all: readonly Question[], id: number, to: number): Promise<void> {
  if (to < 1 || to > all.length) throw invalid({ position: [`must be between 1 and ${all.length}`] })
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

/** Returns a question and locks its form. **Throws** NOT_FOUND. */
export async function lockOne(tx: Ctx, { id }: { id: string | number }): Promise<Question> {
  return (await lockQuestion(tx, id)).question
}

/** Locks the form of a question, so that its questions cannot change. Returns the form and the question. */
async function lockQuestion(tx: Ctx, idInput: string | number): Promise<{ form: Form; question: Question }> {
  const id = idOf('Question', idInput)
  const seen = await tx.load(byId, id)
  if (!seen) throw notFound()
  const form = await lock(tx, seen.formId)
  const question = (await readQuestions(tx, form.id)).find((each) => each.id === id)
  if (!question) throw notFound()
  return { form, question }
}

async function reload(tx: Ctx, id: number): Promise<Question> {
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

const tooMany = `must be at most ${maxQuestions}`
