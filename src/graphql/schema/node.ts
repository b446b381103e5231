import { type FieldKind, type ObjectRef, RootFieldBuilder, type SchemaTypes } from '@pothos/core'
import type { Ctx, Loader } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { globalId, idOf, nounOf, readGlobalId, smallId } from '../../kernel/values/ids.ts'
import { maxPageSize } from '../../kernel/values/page.ts'
import { builder, type Schema } from './builder.ts'
import { requiredId } from './descriptions.ts'
import { canReach, mustReach, type Need } from './query.ts'
import { reads } from './row-fields.ts'
import { readableWith } from './scopes.ts'

interface NodeRow<Id extends number | bigint = number | bigint> {
  id: Id
}

/** How nodes of a type are found by id: the scope that a key needs, and how a row is loaded. */
interface NodeSource {
  readonly need: Need
  /** Whether the type has a `databaseId`. */
  readonly isNumbered: boolean
  readonly load: (ctx: Ctx, id: bigint) => Promise<NodeRow | null>
}

const sources = new Map<string, NodeSource>()

/** A row with the name of its type, by which `Node` resolves its type. */
type TypedRow = NodeRow & { __typename: string }

export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'An object with a global ID. Fetch it again with `node` or `nodes`.',
  resolveType: (row) => (row as TypedRow).__typename,
  fields: (t) => ({
    id: t.id({
      description: 'Global ID of the object: opaque, and unique across all types.',
      extensions: reads('id'),
      resolve: (row, _args, _ctx, info) => globalId(info.parentType.name, row.id),
    }),
  }),
})

/**
 * Declares how the objects of a node type are loaded by id, and the scope that a key needs to read them. Adds the field
 * `databaseId`.
 */
export function nodeSource<Row extends NodeRow<number>>(
  type: ObjectRef<Schema, Row>,
  need: Need,
  loader: Loader<number, NoInfer<Row>, null>,
): void {
  addSource(type.name, { need, isNumbered: true, load: (ctx, id) => ctx.load(loader, smallId(id)) })
  builder.objectField(type as ObjectRef<Schema, NodeRow<number>>, 'databaseId', (t) =>
    t.exposeInt('id', { description: 'Integer ID of the object: the `id` in the REST API.' }),
  )
}

/** The same as `nodeSource` for a type whose IDs exceed `Int`. Adds no field. */
export function largeNodeSource<Row extends NodeRow<bigint>>(
  type: ObjectRef<Schema, Row>,
  need: Need,
  loader: Loader<bigint, NoInfer<Row>, null>,
): void {
  addSource(type.name, { need, isNumbered: false, load: (ctx, id) => ctx.load(loader, id) })
}

function addSource(type: string, source: NodeSource): void {
  sources.set(type, source)
  readableWith(type, source.need)
}

/** Returns whether a type is a node. */
export function isNode(type: string): boolean {
  return sources.has(type)
}

/** Returns whether a type is a node whose IDs fit `Int`. */
export function isNumbered(type: string): boolean {
  return sources.get(type)?.isNumbered ?? false
}

/** Loads a node by its integer ID. Returns null if the account has no such object. Does not check the scope. */
export function loadById(ctx: Ctx, type: string, id: number | bigint): Promise<NodeRow | null> {
  const source = sources.get(type)
  if (!source) throw new Error(`${type} is not a node.`)
  return source.load(ctx, BigInt(id))
}

/** Loads the nodes that exist and that the key can read. */
export async function loadReadable(
  ctx: Ctx,
  places: readonly { readonly type: string; readonly id: number }[],
): Promise<TypedRow[]> {
  const readable = places.filter(({ type }) => {
    const source = sources.get(type)
    return source !== undefined && canReach(ctx, source.need)
  })
  const rows = await Promise.all(readable.map(({ type, id }) => loadById(ctx, type, id)))
  return rows.flatMap((row, index) => (row ? [{ ...row, __typename: readable[index]?.type ?? '' }] : []))
}

interface NodeOptions<Row> {
  readonly type: ObjectRef<Schema, Row>
  readonly description: string
}

/** The columns of a row that contain an ID or null. */
type IdColumn<Row> = { [Key in keyof Row]-?: Row[Key] extends number | null ? Key : never }[keyof Row]

declare global {
  // biome-ignore lint/style/noNamespace: this is where Pothos looks for the methods of its field builders
  export namespace PothosSchemaTypes {
    export interface RootFieldBuilder<Types extends SchemaTypes, ParentShape, Kind extends FieldKind> {
      /** A field with the node whose integer ID is in a column of the parent. Null without an ID or a node. */
      node<Row extends NodeRow>(
        id: IdColumn<ParentShape> | ((parent: ParentShape) => number | null),
        options: NodeOptions<Row>,
      ): FieldRef<Types, Row | null, Kind>
      /** A field with the node whose ID is the argument `id`. Null if the account has no such node. */
      nodeById<Row extends NodeRow<number>>(options: NodeOptions<Row>): FieldRef<Types, Row | null, Kind>
    }
  }
}

type IdRow = Record<string, number | null>
const fieldMethods = RootFieldBuilder.prototype as unknown as PothosSchemaTypes.RootFieldBuilder<
  Schema,
  IdRow,
  'Object'
>

fieldMethods.node = function (id, { type, description }) {
  return this.field({
    type,
    nullable: true,
    description,
    ...(typeof id === 'string' && { extensions: reads(id) }),
    resolve: (parent, _args, ctx) => {
      const nodeId = typeof id === 'function' ? id(parent) : parent[id]
      return (nodeId == null ? null : loadById(ctx, type.name, nodeId)) as never
    },
  }) as never
}

fieldMethods.nodeById = function ({ type, description }) {
  return this.field({
    type,
    nullable: true,
    description,
    args: { id: this.arg.id(requiredId(`the ${nounOf(type.name)}`)) },
    resolve: (_root, { id }, ctx) => loadById(ctx, type.name, idOf(type.name, id)) as never,
  }) as never
}

/** Loads the node with a global id. Returns null if the id is malformed or the account has no such object. */
async function loadNode(ctx: Ctx, id: string): Promise<TypedRow | null> {
  const read = readGlobalId(id)
  const source = read && sources.get(read.type)
  if (!source) return null
  mustReach(ctx, source.need)
  const row = await source.load(ctx, read.id)
  return row && { ...row, __typename: read.type }
}

/** Loads the node with a global id as `node` does. Returns null also if the key may not read it. */
export async function loadReadableNode(ctx: Ctx, id: string): Promise<TypedRow | null> {
  const source = sources.get(readGlobalId(id)?.type ?? '')
  return source && canReach(ctx, source.need) ? loadNode(ctx, id) : null
}

function loadNodes(ctx: Ctx, ids: readonly string[]): TypedRow[] {
  if (ids.length > maxPageSize) throw invalid({ ids: [`must have ${maxPageSize} ids at most`] })
  // Separate promises, so that an object that the key may not read does not fail the others.
  return ids.map((id) => loadNode(ctx, id)) as never
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'Finds an object by its global ID. Null if the account has no such object.',
    args: { id: t.arg.id({ required: true, description: 'Global ID of the object.' }) },
    resolve: (_root, { id }, ctx) => loadNode(ctx, id),
  }),
  nodes: t.field({
    type: t.listRef(Node, { nullable: true }),
    description:
      'Finds objects by their global IDs, in the same order. An element is null if the account has no such object.',
    complexity: { size: { assumedSize: 100, slicingArguments: ['ids'] } },
    args: { ids: t.arg.idList({ required: true, description: 'Global IDs of the objects. Maximum 100.' }) },
    resolve: (_root, { ids }, ctx) => loadNodes(ctx, ids),
  }),
}))
