import { columnLeaf, existence, testOf } from '../../db/filters/conditions.ts'
import { type Field, filterOn } from '../../db/filters/filter.ts'
import { text, time } from '../../db/filters/filter-fields.ts'
import { type TextFilter, textLeaves } from '../../db/filters/value-conditions.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesWithin } from '../../db/lists/pages.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'

const clickTable = table('MailClick', 'k')

/** Clicks on a link of a message. One row, except for the further clicks of a link with many. */
export type MailClick = RowOf<typeof clickTable>

/** The filter of the clicks of a message. */
export const clickFilter = filterOn(clickTable, {
  url: text(sql`k.url`),
  createdAt: time(sql`k.created_at`),
})

const clicks = newList(clickTable, { name: 'clicks', orders: { CREATED_AT: 'createdAt' }, filter: clickFilter })

/** Lists the clicks of people on the links of a message, by default the latest first. */
export const listOfRecipient = pagesWithin(clicks, {
  name: 'recipient',
  from: (ctx) => sql`${clickTable.from(ctx)} AND k.recipient_id = parent.id AND NOT k.is_bot`,
})

/** The targets of the links that people clicked in a message. `message` is the alias of the message. */
export function clickedUrl(message: Sql): Field<'text', TextFilter> {
  const clicked = (condition: Sql) =>
    columnLeaf(sql`EXISTS (SELECT FROM mail_click k WHERE k.account_id = ${message}.account_id AND k.recipient_id = ${message}.id
      AND NOT k.is_bot AND ${condition})`)
  return {
    kind: 'text',
    leaves: ({ exists, ...url }, { path }) => [
      ...textLeaves(sql`k.url`, url, { path }).map((leaf) => clicked(testOf(leaf))),
      ...existence(exists, () => clicked(sql`true`)),
    ],
  }
}
