import { firstPlaces, looks, type UsedBlock } from '../../content/index.ts'
import { type MessageDocument, referencesIn, shownWithin, withReusable } from '../../content/rendering.ts'
import { type Ctx, one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import { thumbnailOf } from './thumbnail.ts'

const emailTemplateTable = table('EmailTemplate', 'l', { without: ['content'] })
export type EmailTemplate = RowOf<typeof emailTemplateTable>

/** The filter of templates. */
export const emailTemplateFilter = filterOn(emailTemplateTable, {
  id: identity('EmailTemplate'),
  ...onColumns(text, emailTemplateTable, 'name'),
  ...onColumns(time, emailTemplateTable, 'createdAt', 'updatedAt'),
  search: search(documentOf(sql`l.name`)),
})

/** All templates of an account. */
export const emailTemplates = newList(emailTemplateTable, {
  name: 'templates',
  orders: { CREATED_AT: 'createdAt', NAME: 'name', UPDATED_AT: 'updatedAt' },
  filter: emailTemplateFilter,
})

/** Returns the templates of the account. Newest first by default. */
export const list = pagesOf(emailTemplates)

/** Loads templates by id; locks one until the transaction ends; creates NOT_FOUND. */
export const { byId, lock, notFound } = emailTemplateTable

/** Loads the documents of templates by id. */
export const contentById = one<number, { readonly content: MessageDocument | null }>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; content: MessageDocument | null; total: number }>`
    SELECT s.id, s.total::float8 AS total,
      CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN s.content END AS content
    FROM (
      SELECT l.id, l.content, sum(octet_length(l.content::text)) OVER () AS total ${emailTemplateTable.from(ctx)}
        AND l.id = ANY(${ids}::int[])
    ) s`
  countRead(ctx.rows, rows[0]?.total, 'contents of templates')
  return new Map(rows.map(({ id, content }) => [id, { content }]))
})

/** Loads the pictures of templates by id. */
export const thumbnailById = one<number, string>(async (ctx, ids) => {
  const documents = [...(await contentById.batch(ctx, ids))].flatMap(([id, { content }]) =>
    content ? [[id, content] as const] : [],
  )
  const { brand, reusable } = await looks.lookOf(ctx, [
    ...new Set(documents.flatMap(([, content]) => referencesIn(content))),
  ])
  return new Map(
    documents.map(([id, content]) => [id, thumbnailOf(withReusable(content, shownWithin(content, reusable)), brand)]),
  )
})

/** Returns the templates that contain reusable blocks, by id of the block. */
export function placesOfBlocks(ctx: Ctx, blockIds: readonly number[]): Promise<UsedBlock[]> {
  const uses = sql`
    SELECT u.reusable_block_id AS "blockId", l.id, l.name
    FROM email_template l JOIN template_block_use u ON u.account_id = l.account_id AND u.template_id = l.id
    WHERE l.account_id = ${ctx.sql.account} AND u.reusable_block_id = ANY(${blockIds}::int[])`
  return firstPlaces(ctx, 'EmailTemplate', uses)
}
