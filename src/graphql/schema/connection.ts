import {
  type ArgBuilder,
  type FieldKind,
  type InputObjectRef,
  type ObjectRef,
  RootFieldBuilder,
  type SchemaTypes,
} from '@pothos/core'
import type { GraphQLResolveInfo } from 'graphql'
import type { Ctx } from '../../db/context.ts'
import { type Direction, type ListArgs, maxKeys, type Order, type Page } from '../../db/lists/list.ts'
import { builder, type Schema } from './builder.ts'
import { type FacetTypes, facetField } from './facets.ts'
import { contentType, pageCost, pageLimits, type RowRef } from './page.ts'
import { rowLoadersOf, rowSelectionOf } from './row-fields.ts'

const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Sort direction.',
  values: {
    ASC: { description: 'Ascending: the smallest, oldest or alphabetically first value comes first.' },
    DESC: { description: 'Descending: the largest, newest or alphabetically last value comes first.' },
  },
})

/** The types of a list field: the page that it returns, its filter and its sort order. */
interface Connection<Row extends object, Filter, Field extends string> {
  /** The plural that names the rows in descriptions. */
  readonly noun: string
  readonly Page: ObjectRef<Schema, Page<Row>>
  readonly Filter: InputObjectRef<Schema, Filter>
  readonly Order: InputObjectRef<Schema, Order<Field>>
  /** Describes the order of a page, with the default. */
  readonly orderText: string
}

declare global {
  // biome-ignore lint/style/noNamespace: this is where Pothos looks for the methods of its field builders
  export namespace PothosSchemaTypes {
    export interface RootFieldBuilder<Types extends SchemaTypes, ParentShape, Kind extends FieldKind> {
      /** A field with a page of a list. It has the arguments for pagination, filter and order, and costs its rows. */
      connection<Row extends object, Filter, Field extends string>(
        connection: Connection<Row, Filter, Field>,
        options: {
          readonly description: string
          /** Points of the field itself, without its rows. Defaults to 1. */
          readonly points?: number
          /** Whether the field can fail, for example because the key lacks a scope. It is then null. */
          readonly nullable?: boolean
          readonly resolve: (
            parent: ParentShape,
            args: ListArgs<Filter, Field>,
            ctx: Ctx,
            info: GraphQLResolveInfo,
          ) => Promise<Page<Row>>
        },
      ): FieldRef<Types, Page<Row>, Kind>
    }
  }
}

const fieldMethods = RootFieldBuilder.prototype as unknown as PothosSchemaTypes.RootFieldBuilder<
  Schema,
  object,
  'Object'
>

fieldMethods.connection = function ({ Page, Filter, Order, orderText }, { points = 1, resolve, ...options }) {
  const args = listArgs(this.arg, Filter, Order, orderText)
  const ofSelection: typeof resolve = async (parent, given, ctx, info) => {
    const page = await resolve(parent, { ...given, selection: rowSelectionOf(info) }, ctx, info)
    const loaders = rowLoadersOf(info, ctx)
    // A nullable field has no page if it does not apply.
    return !page || loaders.length === 0 ? page : loadedAhead(page, loaders, ctx)
  }
  return this.field({
    type: Page,
    args,
    complexity: pageCost(points),
    resolve: ofSelection as never,
    ...options,
  }) as never
}

/** Returns a page whose rows are returned after the values of loaders were loaded for them. */
function loadedAhead<Row>(page: Page<Row>, loaders: ReturnType<typeof rowLoadersOf>, ctx: Ctx): Page<Row> {
  const read = async () => {
    const content = await page.content()
    const ids = content.rows.map((row) => (row as { id: number }).id)
    await Promise.all(loaders.map((loader) => ctx.load.ahead(loader, ids)))
    return content
  }
  let content: ReturnType<typeof read> | undefined
  return {
    ...page,
    content: () => {
      content ??= read()
      return content
    },
  }
}

/**
 * Defines the types of a list: `XConnection` with `nodes`, `edges`, `pageInfo` and `totalCount`, and its sort order. The
 * first of `orders` is the default, descending unless `direction` is ASC.
 */
export function connectionOf<Row extends object, Filter, Field extends string>(
  type: RowRef<Row>,
  options: {
    /** The plural that names the rows in descriptions. */
    readonly noun: string
    readonly filter: InputObjectRef<Schema, Filter>
    /** The fields by which the list can be sorted, with their descriptions. */
    readonly orders: Readonly<Record<Field, string>>
    readonly direction?: Direction
    /** The fields whose values can be counted. */
    readonly facets?: FacetTypes<string>
  },
): Connection<Row, Filter, Field> {
  const { noun, filter, orders, direction, facets } = options
  return { noun, Page: pageType(type, noun, facets), Filter: filter, ...orderOf(type.name, noun, orders, direction) }
}

/** Adds a list of the account's rows under the same name to the queries and to `Account`. The newest rows come first. */
export function accountList<Row extends object, Filter, Field extends string>(
  name: string,
  connection: Connection<Row, Filter, Field>,
  list: (ctx: Ctx, args: ListArgs<Filter, Field>) => Promise<Page<Row>>,
): void {
  const description = `${connection.noun} of the account. Default order: newest first.`
  const resolve = (_parent: unknown, args: ListArgs<Filter, Field>, ctx: Ctx) => list(ctx, args)
  builder.queryField(name, (t) => t.connection(connection, { description: `Lists the ${description}`, resolve }))
  builder.prismaObjectField('Account', name, (t) =>
    t.connection(connection, { description: `The ${description}`, resolve }),
  )
}

/**
 * Adds a list of the rows that belong to a parent to the types of the parents. `list` gets the key of the type in
 * `parents`. The newest rows come first.
 */
export function listByParent<Row extends object, Filter, Field extends string, Parent extends string>(
  name: string,
  connection: Connection<Row, Filter, Field>,
  parents: Readonly<Record<Parent, ObjectRef<Schema, { id: number }>>>,
  list: (ctx: Ctx, parent: Parent, id: number, args: ListArgs<Filter, Field>) => Promise<Page<Row>>,
): void {
  for (const parent of Object.keys(parents) as Parent[]) {
    builder.objectField(parents[parent], name, (t) =>
      t.connection(connection, {
        description: `The ${connection.noun} of the ${parent}. Default order: newest first.`,
        resolve: ({ id }, args, ctx) => list(ctx, parent, id, args),
      }),
    )
  }
}

/** Points of the number of all elements: most lists count a few thousand rows as fast as they read five. */
const countWeight = 5

/** Defines the connection type of a row type, with `nodes`, `edges`, `pageInfo` and `totalCount`. */
function pageType<Row extends object>(type: RowRef<Row>, noun: string, facets?: FacetTypes<string>) {
  const { contentFields } = contentType(type, noun)
  const facet = facets && facetField(type.name, noun, facets)
  return builder.objectRef<Page<Row>>(`${type.name}Connection`).implement({
    description: `A page of ${noun}.`,
    fields: (t) => ({
      ...contentFields(t as never),
      totalCount: t.int({
        description: `Total number of ${noun} that match the filter, on all pages. Counted only if requested.`,
        complexity: countWeight,
        resolve: (page) => page.totalCount(),
      }),
      ...facet?.(t as never),
    }),
  })
}

/** Returns the arguments that every connection has: pagination, filter and order. */
function listArgs<Filter, Order>(
  arg: ArgBuilder<Schema>,
  Filter: InputObjectRef<Schema, Filter>,
  Order: InputObjectRef<Schema, Order>,
  orderText: string,
) {
  return {
    first: arg.int({ description: `Returns the first n elements, or the first n after \`after\`. ${pageLimits}` }),
    after: arg.string({ description: 'Returns the elements after this cursor. Cannot be combined with `last`.' }),
    last: arg.int({
      description: `Returns the last n elements, or the last n before \`before\`. ${pageLimits} Cannot be combined with \`first\`.`,
    }),
    before: arg.string({ description: 'Returns the elements before this cursor. Cannot be combined with `first`.' }),
    offset: arg.int({
      description:
        'Skips the first n elements, for clients that number pages. Can be combined with `first`, not with cursors or `last`.',
    }),
    filter: arg({ type: Filter, description: 'Returns only the elements that match. Defaults to all elements.' }),
    orderBy: arg({ type: [Order], description: orderText }),
  }
}

/** Defines the input that sorts a list by one of `fields`, and describes it. The first one is the default. */
export function orderOf<Field extends string>(
  type: string,
  noun: string,
  fields: Readonly<Record<Field, string>>,
  direction: Direction = 'DESC',
): Pick<Connection<object, unknown, Field>, 'Order' | 'orderText'> {
  const names = Object.keys(fields) as Field[]
  const OrderField = builder.enumType(`${type}OrderField`, {
    description: `Fields by which ${noun} can be sorted.`,
    values: Object.fromEntries(names.map((field) => [field, { value: field, description: fields[field] }])) as Record<
      Field,
      { value: Field; description: string }
    >,
  })
  const usual = `\`${names[0]}\`, ${direction === 'ASC' ? 'ascending' : 'descending'}`
  const ranked = names.some((name) => name === 'RELEVANCE') ? '; a search defaults to `RELEVANCE`' : ''
  const Order = builder.inputRef<Order<Field>>(`${type}OrderInput`).implement({
    description: `A sort key of ${noun}.`,
    fields: (t) =>
      ({
        field: t.field({
          type: OrderField,
          required: true,
          defaultValue: names[0] as never,
          description: `Field by which ${noun} are sorted.`,
        }),
        direction: t.field({
          type: OrderDirection,
          required: true,
          defaultValue: direction,
          description: `Direction in which ${noun} are sorted.`,
        }),
      }) as never,
  })
  return {
    Order: Order as never,
    orderText: `Sort keys of ${noun}, the most important first: at most ${maxKeys}, each with another field. Ties are broken by the ID. Defaults to ${usual}${ranked}.`,
  }
}
