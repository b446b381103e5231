import { z } from 'zod'
import type { Ctx } from '../db/context.ts'
import { filterOn } from '../db/filter.ts'
import { identity, text, time } from '../db/filter-fields.ts'
import { search } from '../db/filter-search.ts'
import { newList, pagesOf } from '../db/list.ts'
import { sql } from '../db/sql.ts'
import { type RowOf, table } from '../db/table.ts'
import { check, name } from '../kernel/check.ts'
import { refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'

const TagName = z.object({ name: name(255) })

export const tagTable = table('Tag', 't')
export type Tag = RowOf<typeof tagTable>

/** The filter of tags. */
export const tagFilter = filterOn(tagTable, {
  id: identity('Tag'),
  name: text(sql`t.name`),
  createdAt: time(sql`t.created_at`),
  search: search(sql`lower(' ' || t.name)`),
})

/** All tags of an account. */
export const tags = newList(tagTable, {
  name: 'tags',
  orders: { CREATED_AT: 'createdAt', NAME: { by: sql`lower(t.name)`, kind: 'text' } },
  filter: tagFilter,
})

/** Returns the tags of the account. Newest first by default. */
export const list = pagesOf(tags)

/** Loads tags by id. */
export const { byId } = tagTable

/** Returns a tag and locks it against deletion until the transaction ends. **Throws** NOT_FOUND. */
export async function mustExist(tx: Ctx, id: string | number, field = 'tagId'): Promise<Tag> {
  return tagTable.lock(tx, id, field, 'FOR KEY SHARE')
}

/** Creates a tag. **Throws** TAG_EXISTS, and VALIDATION_ERROR if the name is empty or longer than 255 characters. */
export async function create(ctx: Ctx, input: { name: string }): Promise<{ tag: Tag }> {
  const data = check(TagName, input)
  const tag = await mapWriteError(data.name, () =>
    ctx.db.tag.create({ data: { ...data, accountId: ctx.accountId, createdAt: ctx.clock.now() } }),
  )
  return { tag }
}

/** Renames a tag. **Throws** NOT_FOUND, TAG_EXISTS and VALIDATION_ERROR. */
export async function update(ctx: Ctx, input: { id: string | number; name: string }): Promise<{ tag: Tag }> {
  const data = check(TagName, input)
  const where = { accountId_id: { accountId: ctx.accountId, id: idOf('Tag', input.id) } }
  return { tag: await mapWriteError(data.name, () => ctx.db.tag.update({ where, data })) }
}

/** Deletes a tag and removes it from all contacts. **Throws** NOT_FOUND. */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  const id = idOf('Tag', input.id)
  const { count } = await ctx.db.tag.deleteMany({ where: { accountId: ctx.accountId, id } })
  if (count === 0) throw tagTable.notFound()
  return { databaseId: id }
}

/** Replaces the database's errors for a name that exists and a tag that does not. */
async function mapWriteError(tagName: string, write: () => Promise<Tag>): Promise<Tag> {
  try {
    return await write()
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'P2002') throw refuse('TAG_EXISTS', `A tag named “${tagName}” already exists.`)
    if (code === 'P2025') throw tagTable.notFound()
    throw error
  }
}
