import type { Ctx } from '../db/context.ts'
import type { Loader } from '../db/load.ts'
import { invalid } from '../kernel/errors.ts'
import { globalId, readGlobalId } from '../kernel/ids.ts'
import { largestPageSize } from '../kernel/page.ts'
import { builder } from './builder.ts'
import { mustReach, type Need } from './query.ts'
import { readableWith } from './scopes.ts'

interface NodeRow {
  id: number
}

/** How the nodes of a type are reached by id: what a key needs for it, and the loader that reads them. */
interface NodeSource {
  readonly need: Need
  readonly loader: Loader<number, NodeRow, null>
}

const sources = new Map<string, NodeSource>()

/** A type's name beside its row: what tells the types behind `Node` apart. */
type TypedRow = NodeRow & { __typename: string }

export const Node = builder.interfaceRef<NodeRow>('Node').implement({
  description: 'Anything that has a global id of its own and can be fetched again by it.',
  resolveType: (row) => (row as TypedRow).__typename,
  fields: (t) => ({
    id: t.id({
      description: 'The global id: opaque, unique across all types.',
      resolve: (row, _args, _ctx, info) => globalId(info.parentType.name, row.id),
    }),
    databaseId: t.exposeInt('id', { description: 'The integer that the REST API calls `id`.' }),
  }),
})

/** Lets `node` and `nodes` find the rows of a type, and declares what a key needs to read them. */
export function nodeSource<Row extends NodeRow>(type: string, need: Need, loader: Loader<number, Row, null>): void {
  sources.set(type, { need, loader })
  readableWith(type, need)
}

/** Whether the rows of a type are nodes. */
export function isNode(type: string): boolean {
  return sources.has(type)
}

/** The node that a global id names, or null where the account has none; an id that names no type is none. */
async function nodeOf(ctx: Ctx, id: string): Promise<TypedRow | null> {
  const read = readGlobalId(id)
  const source = read && sources.get(read.type)
  if (!source) return null
  mustReach(ctx, source.need)
  const row = await ctx.load(source.loader, read.id)
  return row && { ...row, __typename: read.type }
}

function nodesOf(ctx: Ctx, ids: readonly string[]): TypedRow[] {
  if (ids.length > largestPageSize) throw invalid({ ids: [`must have ${largestPageSize} ids at most`] })
  // Each by itself, so that one that the key may not read leaves the others.
  return ids.map((id) => nodeOf(ctx, id)) as never
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'The node with this global id, or null.',
    args: { id: t.arg.id({ required: true, description: 'A global id.' }) },
    resolve: (_root, { id }, ctx) => nodeOf(ctx, id),
  }),
  nodes: t.field({
    type: t.listRef(Node, { nullable: true }),
    description: 'The nodes with these global ids, in their order; null in the place of each that is not there.',
    complexity: ({ ids }) => ({ field: 1, multiplier: ids.length }),
    args: { ids: t.arg.idList({ required: true, description: 'Global ids, 100 at most.' }) },
    resolve: (_root, { ids }, ctx) => nodesOf(ctx, ids),
  }),
}))
