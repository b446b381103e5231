import type { ArgBuilder, InputObjectRef, ObjectRef } from '@pothos/core'
import type { Page } from '../db/list.ts'
import { defaultPageSize, largestPageSize } from '../kernel/page.ts'
import { builder, type Schema } from './builder.ts'
import type { FieldCost } from './cost-formula.ts'

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Which way a list runs.',
  values: {
    ASC: { description: 'The smallest, the oldest or the first letter first.' },
    DESC: { description: 'The largest, the newest or the last letter first.' },
  },
})

const PageInfo = builder.objectRef<Page<unknown>>('PageInfo').implement({
  description: 'Where a page stands in its list (Relay cursor connections).',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there is more after this page.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', { description: 'Whether there is more before this page.' }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the first row.',
      resolve: (page) => (page.rows.length > 0 ? page.cursor(page.rows[0]) : null),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the last row: send it as `after` to read on.',
      resolve: (page) => (page.rows.length > 0 ? page.cursor(page.rows.at(-1)) : null),
    }),
  }),
})

/** A connection type over the rows of a type: `nodes`, `edges`, `pageInfo`, `totalCount`. */
export function connectionOf<Row extends object>(name: string, type: ObjectRef<Schema, Row>, noun: string) {
  const Edge = builder.objectRef<{ row: Row; page: Page<Row> }>(`${name}Edge`).implement({
    description: `One of the ${noun} of a page, with its place.`,
    fields: (t) => ({
      node: t.field({ type, description: 'What stands here.', resolve: ({ row }) => row as never }),
      cursor: t.string({
        description: 'Its place: good even after the row is gone.',
        resolve: ({ row, page }) => page.cursor(row),
      }),
    }),
  })
  return builder.objectRef<Page<Row>>(`${name}Connection`).implement({
    description: `A page of ${noun}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [type],
        description: 'The page itself.',
        complexity: eachRow,
        resolve: (page) => page.rows as never,
      }),
      edges: t.field({
        type: [Edge],
        description: 'The page with the place of each row.',
        complexity: eachRow,
        resolve: (page) => page.rows.map((row) => ({ row, page })),
      }),
      pageInfo: t.field({
        type: PageInfo,
        description: 'Where the page stands.',
        resolve: (page) => page as Page<unknown>,
      }),
      totalCount: t.int({
        description: 'How many there are in all, under the same filter. Counted only when asked for.',
        resolve: (page) => page.totalCount(),
      }),
    }),
  })
}

/** What leads from a connection to its rows: it counts as often as the page has rows. */
const eachRow = { field: 0, multiplier: 1, isOfPage: true } satisfies FieldCost

/** What a connection costs: one point, and its rows, as many as the page can have. */
export function pageCost({ first, last }: { first?: number | null | undefined; last?: number | null | undefined }) {
  return { field: 1, multiplier: 1, page: Math.max(first ?? last ?? defaultPageSize, 1) } satisfies FieldCost
}

/** The arguments that every connection takes: which page of it, what it is filtered by, and how it is ordered. */
export function listArgs<Filter, Order>(
  arg: ArgBuilder<Schema>,
  Filter: InputObjectRef<Schema, Filter>,
  Order: InputObjectRef<Schema, Order>,
) {
  const size = `${defaultPageSize} when absent, ${largestPageSize} at most`
  return {
    first: arg.int({ description: `How many rows from the start, or after a cursor: ${size}.` }),
    after: arg.string({ description: 'Read on behind this cursor.' }),
    last: arg.int({ description: `How many rows from the end, or before a cursor: ${size}.` }),
    before: arg.string({ description: 'Read back from this cursor.' }),
    offset: arg.int({
      description: 'Leave out as many rows at the start, for page-numbered clients. Goes with `first` alone.',
    }),
    filter: arg({ type: Filter, description: 'Which of them.' }),
    orderBy: arg({ type: Order, description: 'In which order.' }),
  }
}

/** The input that orders a list: one of its fields, and which way. The first field is the usual one. */
export function orderOf<Field extends string>(
  type: string,
  noun: string,
  fields: Readonly<Record<Field, string>>,
  usual: { field: NoInfer<Field>; direction: 'ASC' | 'DESC' },
) {
  const OrderField = builder.enumType(`${type}OrderField`, {
    description: `What ${noun} can be ordered by.`,
    values: Object.fromEntries(
      Object.entries<string>(fields).map(([field, description]) => [field, { value: field as Field, description }]),
    ) as Record<Field, { value: Field; description: string }>,
  })
  return builder.inputRef<{ field: Field; direction: 'ASC' | 'DESC' }>(`${type}Order`).implement({
    description: `In which order ${noun} are listed.`,
    fields: (t) =>
      ({
        field: t.field({
          type: OrderField,
          required: true,
          defaultValue: usual.field as never,
          description: 'What to order by.',
        }),
        direction: t.field({
          type: OrderDirection,
          required: true,
          defaultValue: usual.direction,
          description: 'Which way.',
        }),
      }) as never,
  })
}
