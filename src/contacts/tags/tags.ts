import { z } from 'zod'
import { type Ctx, one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, text, time } from '../../db/filters/filter-fields.ts'
import { sortedText } from '../../db/filters/value-conditions.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { check, name } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { removeLinks } from '../record/link-removal.ts'

const TagName = z.object({ name: name(255) })

export const tagTable = table('Tag', 't')
export type Tag = RowOf<typeof tagTable>

/** The filter of tags. */
export const tagFilter = filterOn(tagTable, {
  id: identity('Tag'),
  name: text(sql`t.name`, sortedText(sql`t.name`)),
  ...onColumns(time, tagTable, 'createdAt'),
  search: search(documentOf(sql`t.name`)),
})

/** All tags of an account. */
export const tags = newList(tagTable, {
  name: 'tags',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  filter: tagFilter,
})

/** Returns the tags of the account. Newest first by default. */
export const list = pagesOf(tags)

/** Loads tags by id; locks a tag until the transaction ends. */
export const { byId, lock } = tagTable

/** Loads the number of contacts that have tags, by tag. */
export const contactsCount = one<number, number>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; n: number }>`
    SELECT h.tag_id AS id, count(*)::int AS n FROM contact_tag h
    WHERE h.account_id = ${ctx.sql.account} AND h.tag_id = ANY(${ids}::int[]) GROUP BY h.tag_id`
  return new Map(rows.map(({ id, n }) => [id, n]))
})

/** Returns a tag and locks it against deletion until the transaction ends. **Throws** NOT_FOUND. */
export async function mustExist(tx: Ctx, id: string | number, field = 'tagId'): Promise<Tag> {
  return tagTable.lock(tx, id, field, 'FOR KEY SHARE')
}

/** Locks tags against deletion until the transaction ends. **Throws** NOT_FOUND, with the path, if one does not exist. */
export async function mustAllExist(tx: Ctx, ids: readonly number[], path: string): Promise<void> {
  const found = await tagTable.select(tx, sql`AND t.id = ANY(${ids}::int[]) ORDER BY t.id FOR KEY SHARE`)
  if (found.length < new Set(ids).size) throw tagTable.notFound(path)
}

/**
 * Creates a tag. **Emits** `tag.created`. **Throws** TAG_EXISTS, and VALIDATION_ERROR if the name is empty or longer than 255
 * characters.
 */
export async function create(ctx: Ctx, input: { name: string }): Promise<{ tag: Tag }> {
  const data = check(TagName, input)
  return inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const tag = await mapWriteError(data.name, () =>
      tx.db.tag.create({ data: { ...data, accountId: tx.accountId, createdAt: now, updatedAt: now } }),
    )
    await emit(tx, 'tag.created', { tagId: tag.id })
    return { tag }
  })
}

/** Renames a tag. **Emits** `tag.updated`. **Throws** NOT_FOUND, TAG_EXISTS and VALIDATION_ERROR. */
export async function update(ctx: Ctx, input: { id: string | number; name: string }): Promise<{ tag: Tag }> {
  const data = check(TagName, input)
  return inTransaction(ctx, async (tx) => {
    const where = { accountId_id: { accountId: tx.accountId, id: idOf('Tag', input.id) } }
    const tag = await mapWriteError(data.name, () =>
      tx.db.tag.update({ where, data: { ...data, updatedAt: tx.clock.now() } }),
    )
    await emit(tx, 'tag.updated', { tagId: tag.id })
    return { tag }
  })
}

/**
 * Deletes a tag and removes it from all contacts, from many in the background. **Emits** `tag.deleted`, and nothing for the
 * contacts. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const id = idOf('Tag', input.id)
    const { count } = await tx.db.tag.deleteMany({ where: { accountId: tx.accountId, id } })
    if (count === 0) throw tagTable.notFound()
    await removeLinks(tx, { type: 'Tag', id })
    await emit(tx, 'tag.deleted', { tagId: id })
    return { databaseId: id }
  })
}

/** Replaces the database's errors for a name that exists and a tag that does not. */
async function mapWriteError(tagName: string, write: () => Promise<Tag>): Promise<Tag> {
  try {
    return await write()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'P2002') throw refuseValue('name', 'TAG_EXISTS', `A tag named “${tagName}” already exists.`)
    if (code === 'P2025') throw tagTable.notFound()
    throw error
  }
}
