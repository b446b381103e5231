import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import * as z from 'zod'
import type { RestCode } from '../errors/errors.ts'
import type { Scope } from '../gateway/gateway.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The `data` of a response. `total` is set for a page; `next` is set for a list that is read page by page, null on its last. */
export interface RouteResult {
  data: unknown
  total?: number
  next?: string | null
}

/**
 * Converts the data of a GraphQL response to the `data` of the REST response; `read` returns null if nothing was found.
 * `query` is the parsed query string of the request.
 */
interface ReplyMapper<Data> {
  schema: z.ZodType
  paginated: boolean
  read(data: Data, query?: Readonly<Record<string, unknown>>): RouteResult | null
}

/** The input of a route without parameters. Parameters that are sent anyway are ignored. */
const noInput = z.object({})

/** An endpoint of the REST API, as data. */
export interface Route {
  /** Never changes: it is the `operationId` in the OpenAPI document and the name of the route's contract checks. */
  id: string
  method: Method
  path: string
  /**
   * The scopes that a key needs, or a function that returns them for an unchecked input. A key without one of them gets
   * FORBIDDEN before its input is checked.
   */
  scopes: readonly Scope[] | ((input: Readonly<Record<string, unknown>>) => readonly Scope[])
  /** The heading of its table in the specification. */
  group: string
  summary: string
  description?: string
  query: z.ZodObject
  body: z.ZodObject
  document: TypedDocumentNode<unknown, unknown>
  variables(request: { query: unknown; body: unknown; after: string | undefined }): unknown
  reply: ReplyMapper<unknown>
  status: 200 | 201
  /** The error codes of this endpoint, besides those of all endpoints. */
  errors: readonly RestCode[]
  /** The noun in the message of NOT_FOUND. */
  resource: string
  /** REST names of fields that have another name in GraphQL, by their name in snake case. */
  fieldNames: Readonly<Record<string, string>>
}

type Optional = 'query' | 'body' | 'status' | 'errors' | 'resource' | 'fieldNames'

interface RouteDefinition<Data, Variables, Query extends z.ZodObject, Body extends z.ZodObject>
  extends Omit<Route, 'method' | 'path' | 'document' | 'variables' | 'reply' | Optional>,
    Partial<Pick<Route, 'status' | 'errors' | 'resource' | 'fieldNames'>> {
  query?: Query
  body?: Body
  variables(request: { query: z.output<Query>; body: z.output<Body>; after: string | undefined }): Variables
  reply: ReplyMapper<NonNullFields<Data>>
}

/** The data of a response without errors in which no root field is null. */
type NonNullFields<Data> = { readonly [Field in keyof Data]: NonNullable<Data[Field]> }

/**
 * Declares an endpoint, such as `GET /v1/tags`. The compiler checks it against the types of its document and its input; the
 * result is untyped data. The document precedes the definition, because TypeScript infers the types of `reply` from it.
 */
export function route<
  Data,
  Variables,
  Query extends z.ZodObject = typeof noInput,
  Body extends z.ZodObject = typeof noInput,
>(
  endpoint: `${Method} /${string}`,
  document: TypedDocumentNode<Data, Variables>,
  definition: RouteDefinition<Data, Variables, Query, Body>,
): Route {
  const [method, path] = endpoint.split(' ')
  return {
    method,
    path,
    document,
    status: 200,
    errors: [],
    resource: 'resource',
    fieldNames: {},
    query: noInput,
    body: noInput,
    ...definition,
  } as unknown as Route
}

/**
 * Declares the legacy endpoint of a route of `/v1`, which has the path without the version, and in which the parts that are not
 * given are the same.
 */
export function legacyRoute<
  Data,
  Variables,
  Query extends z.ZodObject = typeof noInput,
  Body extends z.ZodObject = typeof noInput,
>(
  id: string,
  { description: _description, path, ...route }: Route,
  document?: TypedDocumentNode<Data, Variables>,
  parts?: Partial<Omit<RouteDefinition<Data, Variables, Query, Body>, 'id' | 'group' | 'scopes'>>,
): Route {
  const changed = { ...(document && { document }), ...parts } as Partial<Route>
  return { ...route, ...changed, id, path: path.replace('/v1', ''), group: 'Legacy' }
}

/** What a legacy endpoint of a list that is not paginated changes: it has no parameters, and reads page by page. */
export const unpaged = {
  query: noInput,
  errors: [],
  variables: ({ after }: { after: string | undefined }) => ({ after }),
} as const

/** Replies with one object, or with a list that is not paginated. */
export function one<Data, Schema extends z.ZodType>(
  schema: Schema,
  toData: (data: Data, query: Readonly<Record<string, unknown>>) => z.input<Schema> | null,
): ReplyMapper<Data> {
  return {
    schema,
    paginated: false,
    read(data, query = {}) {
      const result = toData(data, query)
      return result === null ? null : { data: result }
    },
  }
}

/** Replies to a deletion. */
export const deleted = one(z.strictObject({ deleted: z.literal(true) }), () => ({ deleted: true as const }))

/** Replies to a deletion with the ID of the deleted resource. */
export function deletedId<Data>(idOf: (data: Data) => number): ReplyMapper<Data> {
  return one(z.strictObject({ id: z.int(), deleted: z.literal(true) }), (data) => ({
    id: idOf(data),
    deleted: true as const,
  }))
}

/** Replies with one page of a list, and its `meta`. */
export function page<Data, Node, Schema extends z.ZodType>(
  row: Schema,
  connectionOf: (data: Data) => { readonly nodes: readonly Node[]; readonly totalCount: number } | null | undefined,
  toRow: (node: Node) => z.input<Schema>,
): ReplyMapper<Data> {
  return {
    schema: z.array(row),
    paginated: true,
    read(data) {
      const connection = connectionOf(data)
      return connection ? { data: connection.nodes.map(toRow), total: connection.totalCount } : null
    },
  }
}

/** Replies with a complete list. The engine reads it page by page, so the route's document takes `$after`. */
export function allPages<Data, Node, Schema extends z.ZodType>(
  row: Schema,
  connectionOf: (data: Data) => CursorConnection<Node> | null | undefined,
  toRow: (node: Node) => z.input<Schema>,
): ReplyMapper<Data> {
  return {
    schema: z.array(row),
    paginated: false,
    read(data) {
      const connection = connectionOf(data)
      if (!connection) return null
      const { nodes, pageInfo } = connection
      return { data: nodes.map(toRow), next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
    },
  }
}

interface CursorConnection<Node> {
  readonly nodes: readonly Node[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** Returns the node of a mutation's payload. A null without an error would be a fault of the schema, so it is thrown. */
export function requireNode<Node>(node: Node | null): Node {
  if (node === null) throw new Error('The mutation returned neither its node nor an error.')
  return node
}
