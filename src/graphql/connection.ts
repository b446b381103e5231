import type { ArgBuilder, InputObjectRef, ObjectRef } from '@pothos/core'
import type { Page } from '../db/list.ts'
import { defaultPageSize, maxPageSize } from '../kernel/page.ts'
import { builder, type Schema } from './builder.ts'
import type { FieldCost } from './field-cost.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Sort direction.',
  values: {
    ASC: { description: 'Ascending: the smallest, oldest or alphabetically first value comes first.' },
    DESC: { description: 'Descending: the largest, newest or alphabetically last value comes first.' },
  },
})

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
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

/** Defines the connection type of a row type, with `nodes`, `edges`, `pageInfo` and `totalCount`. */
export function connectionOf<Row extends object>(name: string, type: ObjectRef<Schema, Row>, noun: string) {
  const Edge = builder.objectRef<{ row: Row; page: Page<Row> }>(`${name}Edge`).implement({
    description: `An element of a page of ${noun}, with its cursor.`,
    fields: (t) => ({
      node: t.field({ type, description: 'The element.', resolve: ({ row }) => row as never }),
      cursor: t.string({
        description: 'Position of the element in the list. Stays valid after the element was deleted.',
        resolve: ({ row, page }) => page.cursor(row),
      }),
    }),
  })
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `A page of ${noun}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [type],
        description: `The ${noun} of this page.`,
        complexity: eachRow,
        resolve: (page) => page.rows as never,
      }),
      edges: t.field({
        type: [Edge],
        description: `The ${noun} of this page, each with its cursor.`,
        complexity: eachRow,
        resolve: (page) => page.rows.map((row) => ({ row, page })),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Pagination information of this page.',
        resolve: (page) => page as Page<unknown>,
      }),
      totalCount: t.int({
        description: `Total number of ${noun} that match the filter, on all pages. Counted only if requested.`,
        resolve: (page) => page.totalCount(),
      }),
    }),
  })
}

/** Cost of a field that leads from a connection to its rows: its selection counts once for each row of the page. */
const eachRow = { field: 0, multiplier: 1, isOfPage: true } satisfies FieldCost

/** Cost of a connection: one point, and its rows, as many as the page can have. */
export function pageCost({ first, last }: { first?: number | null | undefined; last?: number | null | undefined }) {
  return { field: 1, multiplier: 1, page: Math.max(first ?? last ?? defaultPageSize, 1) } satisfies FieldCost
}

/** Returns the arguments that every connection has: pagination, filter and order. */
export function listArgs<Filter, Order>(
  arg: ArgBuilder<Schema>,
  Filter: InputObjectRef<Schema, Filter>,
  Order: InputObjectRef<Schema, Order>,
) {
  const limits = `Defaults to ${defaultPageSize}. Maximum ${maxPageSize}.`
  return {
    first: arg.int({ description: `Returns the first n elements, or the first n after \`after\`. ${limits}` }),
    after: arg.string({ description: 'Returns the elements after this cursor. Cannot be combined with `last`.' }),
    last: arg.int({
      description: `Returns the last n elements, or the last n before \`before\`. ${limits} Cannot be combined with \`first\`.`,
    }),
    before: arg.string({ description: 'Returns the elements before this cursor. Cannot be combined with `first`.' }),
    offset: arg.int({
      description:
        'Skips the first n elements, for clients that number pages. Can be combined with `first`, not with cursors or `last`.',
    }),
    filter: arg({ type: Filter, description: 'Returns only the elements that match. Defaults to all elements.' }),
    orderBy: arg({ type: Order, description: 'Sort order of the elements.' }),
  }
}

/** Defines the input that sorts a list by one of `fields`; `usual` is the default of the input. */
export function orderOf<Field extends string>(
  type: string,
  noun: string,
  fields: Readonly<Record<Field, string>>,
  usual: { field: NoInfer<Field>; direction: 'ASC' | 'DESC' },
) {
  const OrderField = builder.enumType(`${type}OrderField`, {
    description: `Fields by which ${noun} can be sorted.`,
    values: Object.fromEntries(
      Object.entries<string>(fields).map(([field, description]) => [field, { value: field as Field, description }]),
    ) as Record<Field, { value: Field; description: string }>,
  })
  return builder.inputRef<{ field: Field; direction: 'ASC' | 'DESC' }>(`${type}Order`).implement({
    description: `Sort order of ${noun}.`,
    fields: (t) =>
      ({
        field: t.field({
          type: OrderField,
          required: true,
          defaultValue: usual.field as never,
          description: 'Field to sort by.',
        }),
        direction: t.field({
          type: OrderDirection,
          required: true,
          defaultValue: usual.direction,
          description: 'Sort direction.',
        }),
      }) as never,
  })
}
