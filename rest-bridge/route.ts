import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import * as z from 'zod'
import type { RestCode } from './errors.ts'
import type { Scope } from './gateway.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What a reply makes of the graph's data. `total` is there for a page, `next` for a list that is walked by cursor. */
export interface Read {
  data: unknown
  total?: number
  next?: string | null
}

/** How the graph's data becomes the answer's `data`; null where the graph found nothing. */
export interface ReplyOf<Data> {
  schema: z.ZodType
  paginated: boolean
  read(data: Data): Read | null
}

/** The input of a route without parameters; what is sent anyway is ignored. */
export const nothing = z.object({})

/** An endpoint of the REST API, as data. */
export interface Route {
  /** Stable for ever: `operationId` in the reference, and the name of its contract checks. */
  id: string
  method: Method
  path: string
  /**
   * The scopes that a key needs, or a function that reads them from the input as it was sent. A key that lacks one gets
   * FORBIDDEN before its input is checked.
   */
  needs: readonly Scope[] | ((given: Readonly<Record<string, unknown>>) => readonly Scope[])
  /** The heading it stands under in the specification. */
  group: string
  summary: string
  description?: string
  query: z.ZodObject
  body: z.ZodObject
  document: TypedDocumentNode<unknown, unknown>
  variables(request: { query: unknown; body: unknown; after: string | undefined }): unknown
  reply: ReplyOf<unknown>
  status: 200 | 201
  /** The codes that are this endpoint's own, with the status each comes with where it is not the usual one. */
  errors: readonly RestCode[]
  /** What NOT_FOUND says is missing. */
  finds: string
  /** Fields of the document that REST calls otherwise. */
  names: Readonly<Record<string, string>>
}

type Optional = 'query' | 'body' | 'status' | 'errors' | 'finds' | 'names'

interface Given<Data, Variables, Query extends z.ZodObject, Body extends z.ZodObject>
  extends Omit<Route, 'document' | 'variables' | 'reply' | Optional>,
    Partial<Pick<Route, 'status' | 'errors' | 'finds' | 'names'>> {
  query?: Query
  body?: Body
  variables(request: { query: z.output<Query>; body: z.output<Body>; after: string | undefined }): Variables
  reply: ReplyOf<Data>
}

/**
 * Declares an endpoint. Its types are those of its document and its inputs; from here on it is data like the others.
 * The document stands first, because TypeScript reads the types of `reply` from it.
 */
export function route<
  Data,
  Variables,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodObject = typeof nothing,
>(document: TypedDocumentNode<Data, Variables>, given: Given<Data, Variables, Query, Body>): Route {
  return {
    document,
    status: 200,
    errors: [],
    finds: 'resource',
    names: {},
    query: nothing,
    body: nothing,
    ...given,
  } as unknown as Route
}

/** Answers one thing, or a list that is not paginated. */
export function one<Data, Schema extends z.ZodType>(
  schema: Schema,
  from: (data: Data) => z.input<Schema> | null,
): ReplyOf<Data> {
  return {
    schema,
    paginated: false,
    read(data) {
      const found = from(data)
      return found === null ? null : { data: found }
    },
  }
}

/** Answers one page of a list, and its `meta`. */
export function page<Data, Node, Schema extends z.ZodType>(
  row: Schema,
  list: (data: Data) => { readonly nodes: readonly Node[]; readonly totalCount: number } | null | undefined,
  toRow: (node: Node) => z.input<Schema>,
): ReplyOf<Data> {
  return {
    schema: z.array(row),
    paginated: true,
    read(data) {
      const found = list(data)
      return found ? { data: found.nodes.map(toRow), total: found.totalCount } : null
    },
  }
}

/** Answers a whole list, which the engine walks by cursor: the route's document takes `after`. */
export function walk<Data, Node, Schema extends z.ZodType>(
  row: Schema,
  list: (data: Data) => Walked<Node> | null | undefined,
  toRow: (node: Node) => z.input<Schema>,
): ReplyOf<Data> {
  return {
    schema: z.array(row),
    paginated: false,
    read(data) {
      const found = list(data)
      if (!found) return null
      return { data: found.nodes.map(toRow), next: found.pageInfo.hasNextPage ? found.pageInfo.endCursor : null }
    },
  }
}

interface Walked<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The row that a mutation has written. The graph shows it, or refuses; then no reply is read. */
export function written<Row>(row: Row | null): Row {
  if (row === null) throw new Error('The graph did not show what was written.')
  return row
}
