import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { Ctx, Loader } from '../../db/context.ts'
import type { RowSelection } from '../../db/lists/list.ts'
import { may } from '../../kernel/scopes.ts'
import { recordsSpans } from '../../kernel/telemetry/tracing.ts'
import type { Need } from './query.ts'

/** Name of the extension with the fields of the row that a resolver reads. */
const extension = 'rowFields'

/** The extensions of a GraphQL field whose resolver reads only these fields of its row. Without them it may read all. */
export function reads(...fields: readonly string[]): { readonly [extension]: readonly string[] } {
  return { [extension]: fields }
}

/** The resolver of a GraphQL field that reads only the id of its row. */
export function fromId<Id extends number | bigint, Answer>(resolve: (id: Id, ctx: Ctx) => Answer) {
  return {
    extensions: reads('id'),
    resolve: ({ id }: { readonly id: Id }, _args: object, ctx: Ctx) => resolve(id, ctx),
  }
}

/** A loader by the id of a row. */
type RowLoader = Loader<number, unknown, unknown>

/** Name of the extension with the loader of a field. */
const loaderExtension = 'rowLoader'

/**
 * The resolver of a GraphQL field that loads its value by the id of its row. In a connection, the values of all rows of a page
 * are loaded before the fields are resolved, so that they need no promise for each row.
 */
export function loadedById<Value, Otherwise>(loader: Loader<number, Value, Otherwise>) {
  return {
    extensions: { ...reads('id'), [loaderExtension]: loader },
    resolve: ({ id }: { readonly id: number }, _args: object, ctx: Ctx) => ctx.load.ready(loader, id),
  }
}

interface SelectedLoader {
  readonly loader: RowLoader
  /** The scopes of which the field needs one. */
  readonly needs: readonly Need[]
}

const loadersOf = new WeakMap<FieldNode, { readonly type: unknown; readonly loaders: readonly SelectedLoader[] }>()

/**
 * Returns the loaders of the fields that a document selects of each row of a connection, except those that the caller may not
 * read.
 */
export function rowLoadersOf(info: GraphQLResolveInfo, ctx: Ctx): readonly RowLoader[] {
  const { fieldNodes, returnType } = info
  const [node] = fieldNodes
  const connection = getNamedType(returnType)
  // A trace shows each statement below the field that needs it.
  if (recordsSpans() || !node?.selectionSet || fieldNodes.length > 1 || !isObjectType(connection)) return []
  let found = loadersOf.get(node)
  if (found?.type !== connection) {
    found = { type: connection, loaders: readLoaders(node.selectionSet, connection, info) }
    loadersOf.set(node, found)
  }
  return found.loaders
    .filter(({ needs }) => needs.length === 0 || needs.some((need) => need !== 'full access' && may(ctx, need)))
    .map(({ loader }) => loader)
}

function readLoaders(
  selectionSet: SelectionSetNode,
  connection: GraphQLObjectType,
  { fragments }: GraphQLResolveInfo,
): SelectedLoader[] {
  const row = getNamedType(connection.getFields()['nodes']?.type)
  if (!isObjectType(row)) return []
  const loaders = new Map<RowLoader, SelectedLoader>()
  /** Calls a function for each field that no directive can exclude. */
  const each = (set: SelectionSetNode | undefined, visit: (field: FieldNode) => void) => {
    for (const selection of set?.selections ?? []) {
      if (selection.directives?.length) continue
      if (selection.kind === Kind.FIELD) visit(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) each(selection.selectionSet, visit)
      else each(fragments[selection.name.value]?.selectionSet, visit)
    }
  }
  const visitRow = (set: SelectionSetNode | undefined) =>
    each(set, ({ name }) => {
      const { [loaderExtension]: loader, needs = [] } = row.getFields()[name.value]?.extensions ?? {}
      if (loader) loaders.set(loader as RowLoader, { loader: loader as RowLoader, needs: needs as readonly Need[] })
    })
  each(selectionSet, ({ name, selectionSet: inner }) => {
    if (name.value === 'nodes') visitRow(inner)
    else if (name.value === 'edges') each(inner, (edge) => edge.name.value === 'node' && visitRow(edge.selectionSet))
  })
  return [...loaders.values()]
}

/** By the node of the connection in a document, because reading a selection takes longer than resolving the field. */
const known = new WeakMap<FieldNode, { readonly type: unknown; readonly selection: RowSelection | undefined }>()

/** Returns what a document selects of the rows of a connection. Undefined if a resolver may read all fields of a row. */
export function rowSelectionOf(info: GraphQLResolveInfo): RowSelection | undefined {
  const { fieldNodes, returnType } = info
  const [node] = fieldNodes
  const connection = getNamedType(returnType)
  if (!node?.selectionSet || fieldNodes.length > 1 || !isObjectType(connection)) return undefined
  const found = known.get(node)
  if (found?.type === connection) return found.selection
  const selection = readSelection(node.selectionSet, connection, info)
  known.set(node, { type: connection, selection })
  return selection
}

function readSelection(
  selectionSet: SelectionSetNode,
  connection: GraphQLObjectType,
  { fragments }: GraphQLResolveInfo,
): RowSelection | undefined {
  const row = getNamedType(connection.getFields()['nodes']?.type)
  if (!isObjectType(row)) return undefined
  const fields = new Set(['id'])
  let hasCursors = false
  /** Calls a function for each selected field. Returns whether all calls returned true. */
  const every = (set: SelectionSetNode | undefined, isKnown: (field: FieldNode) => boolean): boolean =>
    (set?.selections ?? []).every((each) => {
      if (each.kind === Kind.INLINE_FRAGMENT) return every(each.selectionSet, isKnown)
      if (each.kind === Kind.FRAGMENT_SPREAD) return every(fragments[each.name.value]?.selectionSet, isKnown)
      return each.name.value === '__typename' || isKnown(each)
    })
  const isKnownOfRow = ({ name }: FieldNode) => {
    const read = fieldsReadBy(row, name.value)
    for (const field of read ?? []) fields.add(field)
    return read !== undefined
  }
  const isKnown = every(selectionSet, ({ name, selectionSet: inner }) => {
    if (name.value === 'totalCount') return true
    if (name.value === 'nodes') return every(inner, isKnownOfRow)
    hasCursors = true
    if (name.value === 'pageInfo') return true
    return (
      name.value === 'edges' &&
      every(inner, (each) => each.name.value === 'cursor' || every(each.selectionSet, isKnownOfRow))
    )
  })
  return isKnown ? { fields: [...fields].sort(), hasCursors } : undefined
}

function fieldsReadBy(row: GraphQLObjectType, name: string): readonly string[] | undefined {
  const { [extension]: declared, pothosExposedField: exposed } = row.getFields()[name]?.extensions ?? {}
  return (declared as readonly string[] | undefined) ?? (typeof exposed === 'string' ? [exposed] : undefined)
}
