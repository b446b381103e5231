import type { FieldMap, InterfaceRef, ObjectRef } from '@pothos/core'
import type { Page, PageContent } from '../../db/lists/list.ts'
import { defaultPageSize, maxPageSize } from '../../kernel/values/page.ts'
import type { FieldCost } from '../cost/field-cost.ts'
import { builder, type Schema } from './builder.ts'

const PageInfo = builder.objectRef<PageContent<unknown>>('PageInfo').implement({
  description: 'Pagination information of a page (Relay cursor connections).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether the list has elements after this page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Whether the list has elements before this page.',
    }),
    startCursor: t.string({
      nullable: true,
      description:
        'Cursor of the first element. Send it as `before` to get the previous page. Null if the page is empty.',
      resolve: (page) => (page.rows.length > 0 ? page.cursor(page.rows[0]) : null),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'Cursor of the last element. Send it as `after` to get the next page. Null if the page is empty.',
      resolve: (page) => (page.rows.length > 0 ? page.cursor(page.rows.at(-1)) : null),
    }),
  }),
})

/** The type of the rows of a list. */
export type RowRef<Row> = ObjectRef<Schema, Row> | InterfaceRef<Schema, Row>

/** Defines the edge type of a row type. Returns the fields of a connection with the rows of its page. */
export function contentType<Row extends object>(type: RowRef<Row>, noun: string) {
  const { name } = type
  const Edge = builder.objectRef<{ row: Row; page: PageContent<Row> }>(`${name}Edge`).implement({
    description: `An element of a page of ${noun}, with its cursor.`,
    fields: (t) => ({
      node: t.field({ type, description: 'The element.', resolve: ({ row }) => row as never }),
      cursor: t.string({
        description: 'Position of the element in the list. Stays valid after the element was deleted.',
        resolve: ({ row, page }) => page.cursor(row),
      }),
    }),
  })
  return {
    Edge,
    contentFields: (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Pick<Page<Row>, 'content'>>): FieldMap => ({
      nodes: t.field({
        type: [type],
        description: `The ${noun} of this page.`,
        resolve: async (page) => (await page.content()).rows as never,
      }),
      edges: t.field({
        type: [Edge],
        description: `The ${noun} of this page, each with its cursor.`,
        resolve: async (page) => {
          const content = await page.content()
          return content.rows.map((row) => ({ row, page: content }))
        },
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Pagination information of this page.',
        resolve: async (page) => (await page.content()) as PageContent<unknown>,
      }),
    }),
  }
}

/** Cost of a connection: its own points, and its rows, as many as the page can have. */
export function pageCost(weight = 1): FieldCost {
  const size = { assumedSize: defaultPageSize, slicingArguments: ['first', 'last'], sizedFields: ['nodes', 'edges'] }
  return { weight, size }
}

/** The description of the number of rows of a page. */
export const pageLimits = `Defaults to ${defaultPageSize}. Maximum ${maxPageSize}.`
