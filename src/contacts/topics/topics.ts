import { z } from 'zod'
import { lockKind } from '../../db/account-lock.ts'
import { type Ctx, single } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { newList } from '../../db/lists/list.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent, text } from '../../kernel/values/check.ts'
import { ports } from '../ports.ts'
import { removeLinks } from '../record/link-removal.ts'

/** Maximum topics of an account, with those that are archived. Lists of topics are not paginated. */
export const maxTopics = 100

/** Maximum length of the description of a topic, in characters. */
export const maxDescription = 1_000

/** Maximum size of the names and descriptions of all topics of an account in all languages: preference pages read them. */
const maxTextBytes = 256 * 1024

/** Maximum number of languages of a topic besides its own. */
export const maxTranslations = 30

const language = z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag such as en or pt-BR')
const Translation = z.object({ language, name: name(255), description: text(maxDescription).default('') })
const fields = {
  name: name(255),
  description: text(maxDescription),
  translations: z
    .array(Translation)
    .max(maxTranslations, `must have ${maxTranslations} languages at most`)
    .refine(
      (all) => new Set(all.map((each) => each.language)).size === all.length,
      'must not contain a language twice',
    ),
  isPublic: z.boolean(),
  audience: z.enum(['EVERYONE', 'JOINED']),
}
const NewTopic = z.object(fields).partial().required({ name: true, audience: true })
const TopicChange = z.object(fields).partial()

/** The name and the description of a topic in a language. */
export type TopicTranslation = z.output<typeof Translation>

type Input<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }
type TopicInput = Input<Omit<z.output<typeof TopicChange>, 'translations'>> & {
  translations?: readonly Input<TopicTranslation>[] | null | undefined
}

const topicTable = table('Topic', 't')
export type Topic = RowOf<typeof topicTable>

/** All topics of an account. */
export const topics = newList(topicTable, {
  name: 'topics',
  orders: { ID: 'id' },
  usual: { field: 'ID', direction: 'ASC' },
  filter: filterOn(topicTable, {}),
})

/** Returns all topics of the account, oldest first. */
export async function list(ctx: Ctx): Promise<Topic[]> {
  return ctx.load(allTopics, 'all')
}

const allTopics = single((ctx) => topicTable.select(ctx, sql`ORDER BY t.id LIMIT ${maxTopics}::int`))

/** Loads topics by id; locks a topic until the transaction ends. */
export const { byId, lock } = topicTable

/** Returns a topic and locks it against deletion until the transaction ends. **Throws** NOT_FOUND. */
export async function mustExist(tx: Ctx, id: string | number, field = 'topicId'): Promise<Topic> {
  return topicTable.lock(tx, id, field, 'FOR KEY SHARE')
}

/**
 * Creates a topic. **Emits** `topic.created`. **Throws** VALIDATION_ERROR, also if another topic has the name, or the account
 * would have more than 100 topics or 256 KiB of their texts.
 */
export async function create(
  ctx: Ctx,
  input: TopicInput & { name: string; audience: Topic['audience'] },
): Promise<{ topic: Topic }> {
  const data = check(NewTopic, withoutNull(input))
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'topics')
    const known = await topicTable.select(tx, sql``)
    if (known.length >= maxTopics)
      throw invalid({ name: [`would exceed the maximum of ${maxTopics} topics per account`] }, 'LIMIT_REACHED')
    mustBeNew(data.name, known)
    const now = tx.clock.now()
    const { name: topicName, audience, ...rest } = data
    const own = { accountId: tx.accountId, name: topicName, audience, createdAt: now, updatedAt: now }
    const { description = '', translations = [] } = rest
    mustBeShort([...known, { name: topicName, description, translations }])
    const topic = await tx.db.topic.create({ data: { ...sent(rest), ...own } })
    await emit(tx, 'topic.created', { topicId: topic.id })
    return { topic }
  })
}

/**
 * Updates a topic; absent fields stay. Another `audience` changes who gets messages, except those that joined or left.
 *
 * **Emits** `topic.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR, also if another topic has the name.
 */
export async function update(ctx: Ctx, input: TopicInput & { id: string | number }): Promise<{ topic: Topic }> {
  const { id, ...rest } = input
  const change = check(TopicChange, withoutNull(rest))
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'topics')
    const before = await lock(tx, id)
    const others = await topicTable.select(tx, sql`AND t.id <> ${before.id}::int`)
    if (change.name !== undefined) mustBeNew(change.name, others)
    mustBeShort([...others, { ...before, ...sent(change) }])
    return { topic: await updateRow(tx, before, change) }
  })
}

/**
 * Archives a topic: messages cannot name it any more, and preference pages do not show it. Those that name it are sent as before.
 * Idempotent. **Emits** `topic.updated`. **Throws** NOT_FOUND.
 */
export async function archive(ctx: Ctx, input: { id: string | number }): Promise<{ topic: Topic }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    return { topic: before.archivedAt ? before : await updateRow(tx, before, { archivedAt: tx.clock.now() }) }
  })
}

/** Restores an archived topic. Idempotent. **Emits** `topic.updated`. **Throws** NOT_FOUND. */
export async function restore(ctx: Ctx, input: { id: string | number }): Promise<{ topic: Topic }> {
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, input.id)
    return { topic: before.archivedAt ? await updateRow(tx, before, { archivedAt: null }) : before }
  })
}

/**
 * Deletes a topic that no e-mail names, with its memberships, many of them in the background. The consents of contacts stay.
 * **Emits** `topic.deleted`, and nothing for the contacts. **Throws** NOT_FOUND and INVALID_STATE.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    const uses = await ports.emailsWithTopic(tx, id)
    if (uses > 0)
      throw refuseValue(
        'id',
        'INVALID_STATE',
        `${uses === 1 ? 'An e-mail names' : `${uses} e-mails name`} the topic, so that it cannot be deleted; archive it instead.`,
      )
    await tx.db.topic.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    await removeLinks(tx, { type: 'Topic', id })
    await emit(tx, 'topic.deleted', { topicId: id })
    return { databaseId: id }
  })
}

/** A topic as a contact sees it, in its language. */
export interface ShownTopic {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly receives: boolean
}

/**
 * Returns SQL of the JSON array of the topics that a contact sees: those that are public, and that of its message. `contact` is a
 * row of contacts, `topicId` the topic of the message.
 */
export function shownTopics(contact: Sql, topicId: Sql): Sql {
  // The most exact translation for the language of the contact comes first.
  return sql`(SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', coalesce(shown.text ->> 'name', t.name),
        'description', CASE WHEN shown.text IS NULL THEN t.description ELSE coalesce(shown.text ->> 'description', '') END,
        'receives', coalesce(m.state = 'JOINED', t.audience = 'EVERYONE')) ORDER BY t.id), '[]')
    FROM topic t LEFT JOIN topic_membership m
        ON m.account_id = t.account_id AND m.topic_id = t.id AND m.contact_id = ${contact}.id
      LEFT JOIN LATERAL (SELECT x AS text FROM jsonb_array_elements(t.translations) x
        WHERE lower(x ->> 'language') IN (lower(${contact}.locale), lower(split_part(${contact}.locale, '-', 1)))
        ORDER BY length(x ->> 'language') DESC LIMIT 1) shown ON true
    WHERE t.account_id = ${contact}.account_id AND (t.id = ${topicId} OR t.is_public AND t.archived_at IS NULL))`
}

/** **Throws** VALIDATION_ERROR if the texts of all topics are larger than the pages of contacts can show quickly. */
function mustBeShort(all: readonly Pick<Topic, 'name' | 'description' | 'translations'>[]): void {
  const bytes = all.reduce(
    (sum, { name: own, description, translations }) =>
      sum + Buffer.byteLength(own) + Buffer.byteLength(description) + Buffer.byteLength(JSON.stringify(translations)),
    0,
  )
  if (bytes > maxTextBytes)
    throw invalid(
      {
        translations: [
          `would exceed the maximum of ${maxTextBytes / 1024} KiB of names and descriptions of all topics`,
        ],
      },
      'LIMIT_REACHED',
    )
}

async function updateRow(tx: Ctx, { id }: Topic, data: object): Promise<Topic> {
  await emit(tx, 'topic.updated', { topicId: id })
  return tx.db.topic.update({
    where: { accountId_id: { accountId: tx.accountId, id } },
    data: { ...data, updatedAt: tx.clock.now() },
  })
}

/** Names are compared without regard to case, because people choose topics by them. */
function mustBeNew(topicName: string, others: readonly Topic[]): void {
  const isTaken = others.some((other) => other.name.toLowerCase() === topicName.toLowerCase())
  if (isTaken) throw invalid({ name: ['is already used by another topic'] }, 'TAKEN')
}

function withoutNull<Given extends TopicInput>({ translations, ...input }: Given) {
  return { ...sent(input), ...(translations && { translations: translations.map((each) => sent(each)) }) }
}
