import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'
import { costOf, usualWeight } from './directives.ts'
import type { FieldCost } from './field-cost.ts'
import { introspectionCosts } from './introspection-cost.ts'

type Variables = Readonly<Record<string, unknown>>

/** The points of a field of an operation, with its place in the response: `campaigns.nodes.check`. */
interface FieldPoints {
  readonly path: string
  readonly points: number
}

/** The cost of an operation, as a function of its variables. */
export interface CostFormula {
  /**
   * Returns the estimated points of the operation with these coerced variables: the weight of each field, multiplied by the
   * elements of the lists around it. Throws if an argument has no value.
   */
  bound(variables: Variables): number
  /** Returns the fields with the most points of their own, without what is selected in them, dearest first. */
  dearest(variables: Variables, count: number): FieldPoints[]
  /** Returns the points of fields that cost more than an object or a value, as often as they are in a result. */
  extra(data: unknown): number
  /** Number of fields. Fields of a fragment count each time that it is used. */
  readonly fields: number
}

const widths = new WeakMap<FieldNode, number>()

/** Returns the number of fields of a list element, without the lists inside it. Requires the cost formula of the operation. */
export function widthOf(nodes: readonly FieldNode[]): number {
  let width = 0
  for (const node of nodes) width += widths.get(node) ?? 1
  return width
}

/** A part of an operation: a field, or a fragment. */
interface Part {
  /** Evaluates `@skip` and `@include`. Absent without them. */
  readonly isIncluded: ((variables: Variables) => boolean) | undefined
  readonly inner: readonly Part[]
  /** Number of its fields without the lists inside it. */
  readonly width: number
  /** Absent for fragments. */
  readonly field?: FieldPart
}

interface FieldPart {
  readonly path: readonly string[]
  readonly weight: number
  /** What the weight exceeds that of an object or a value by. */
  readonly extra: number
  /** Whether it has as many elements as the page of the connection around it. */
  readonly isSized: boolean
  /** Returns the elements of the list, or of the page of a connection. */
  readonly sizeOf: (variables: Variables) => number
  /** Whether the size is that of fields of the returned object. */
  readonly isConnection: boolean
}

/** An operation that is being read, and the fields that were read so far. */
interface Reading {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly dear: FieldPart[]
  fields: number
}

/** Where a selection is: its path, and the fields of a connection that have as many elements as its page. */
interface Place {
  readonly path: readonly string[]
  readonly sizedFields: readonly string[]
}

/**
 * Returns the cost formula of an operation. The document must be valid. Adds up the fields of all fragments, although an
 * object may have only one of their types.
 */
export function costFormula(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CostFormula {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`The schema has no ${operation.operation} type.`)
  const reading: Reading = { schema, fragments, dear: [], fields: 0 }
  const parts = readSelection(reading, operation.selectionSet, root, { path: [], sizedFields: [] }, new Set())
  const dear = new Map(reading.dear.map((field) => [field.path.join('.'), field]))
  return {
    bound: (variables) => Math.max(1, Math.ceil(pointsOf(parts, variables))),
    dearest: (variables, count) => dearestOf(parts, variables, count),
    extra: (data) => {
      let points = 0
      for (const { path, extra } of dear.values()) points += extra * occurrences(data, path, 0)
      return points
    },
    fields: reading.fields,
  }
}

/** Returns the points of parts of an operation. `page` is the size of the page around them, `times` how often they occur. */
function pointsOf(
  parts: readonly Part[],
  variables: Variables,
  page = 1,
  times = 1,
  report?: (field: FieldPart, points: number) => void,
): number {
  let points = 0
  for (const { isIncluded, inner, field } of parts) {
    if (isIncluded && !isIncluded(variables)) continue
    if (!field) {
      points += pointsOf(inner, variables, page, times, report)
      continue
    }
    const size = field.isSized ? page : field.sizeOf(variables)
    const count = field.isConnection ? times : times * size
    const own = count * field.weight
    report?.(field, own)
    points += own + (inner.length > 0 ? pointsOf(inner, variables, size, count, report) : 0)
  }
  return points
}

function dearestOf(parts: readonly Part[], variables: Variables, count: number): FieldPoints[] {
  const found = new Map<string, number>()
  pointsOf(parts, variables, 1, 1, ({ path }, points) => {
    const name = path.join('.')
    found.set(name, (found.get(name) ?? 0) + points)
  })
  const dearest = [...found].filter(([, points]) => points > 0).toSorted(([, one], [, other]) => other - one)
  return dearest.slice(0, count).map(([path, points]) => ({ path, points }))
}

/** Returns how often a result has a value at a path. */
function occurrences(value: unknown, path: readonly string[], depth: number): number {
  if (value === null || value === undefined) return 0
  if (Array.isArray(value)) {
    let count = 0
    for (const each of value) count += occurrences(each, path, depth)
    return count
  }
  const name = path[depth]
  return name === undefined ? 1 : occurrences((value as Record<string, unknown>)[name], path, depth + 1)
}

/** Reads a selection set. `spread` has the fragments that were read in it, and gets those that it spreads. */
function readSelection(
  reading: Reading,
  set: SelectionSetNode,
  type: GraphQLNamedType,
  place: Place,
  spread: Set<string>,
): Part[] {
  const parts: Part[] = []
  for (const selection of set.selections) {
    const isIncluded = inclusionOf(selection)
    // Execution collects a named fragment once per selection set, unless a directive excludes it.
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      if (spread.has(selection.name.value)) continue
      if (!isIncluded) spread.add(selection.name.value)
    }
    const part =
      selection.kind === Kind.FIELD
        ? readField(reading, selection, type, place)
        : readFragment(reading, selection, type, place, isIncluded ? new Set(spread) : spread)
    parts.push({ ...part, isIncluded })
  }
  return parts
}

function readFragment(
  reading: Reading,
  selection: FragmentSpreadNode | InlineFragmentNode,
  type: GraphQLNamedType,
  place: Place,
  spread: Set<string>,
): Omit<Part, 'isIncluded'> {
  const { schema, fragments } = reading
  const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
  if (!fragment) throw new Error('A fragment is missing.')
  const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
  if (!on) throw new Error('A type is missing.')
  const inner = readSelection(reading, fragment.selectionSet, on, place, spread)
  return { inner, width: widthOfAll(inner) }
}

function readField(
  reading: Reading,
  node: FieldNode,
  parent: GraphQLNamedType,
  { path, sizedFields }: Place,
): Omit<Part, 'isIncluded'> {
  reading.fields += 1
  const { schema, dear } = reading
  const definition = fieldOf(schema, parent, node.name.value)
  const { weight = usualWeight(definition), size } = introspectionCosts(schema).get(definition) ?? costOf(definition)
  const field: FieldPart = {
    path: [...path, (node.alias ?? node.name).value],
    weight,
    extra: weight - usualWeight(definition),
    isSized: sizedFields.includes(node.name.value),
    isConnection: size?.sizedFields !== undefined,
    sizeOf: sizeReader(size, definition, node),
  }
  if (field.extra !== 0) dear.push(field)
  const inside = { path: field.path, sizedFields: size?.sizedFields ?? [] }
  const inner = node.selectionSet
    ? readSelection(reading, node.selectionSet, getNamedType(definition.type), inside, new Set())
    : []
  const width = widthOfAll(inner)
  const isList = isListType(getNullableType(definition.type))
  if (isList && node.selectionSet) widths.set(node, width)
  return { inner, width: isList ? 1 : 1 + width, field }
}

function widthOfAll(parts: readonly Part[]): number {
  return parts.reduce((sum, { width }) => sum + width, 0)
}

/** Returns a function that evaluates `@skip` and `@include` of a selection, or undefined if it has neither. */
function inclusionOf(node: { directives?: readonly DirectiveNode[] }): ((variables: Variables) => boolean) | undefined {
  if (!node.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return undefined
  return (variables) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}

/** Returns the definition of a field, also of those of introspection. Throws if the type does not have it. */
export function fieldOf(schema: GraphQLSchema, parent: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> {
  if (name === '__typename') return TypeNameMetaFieldDef
  if (parent === schema.getQueryType() && name === '__schema') return SchemaMetaFieldDef
  if (parent === schema.getQueryType() && name === '__type') return TypeMetaFieldDef
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  if (!field) throw new Error(`There is no field ${parent.name}.${name}.`)
  return field
}

/** Returns the number of elements as a function of the variables. Evaluates the arguments only if the size depends on them. */
function sizeReader(
  size: FieldCost['size'],
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => number {
  const { assumedSize = 1, slicingArguments } = size ?? {}
  if (!slicingArguments) return () => assumedSize
  return (variables) => {
    const values = getArgumentValues(field, node, variables)
    const sizes = slicingArguments.map((name) => values[name]).filter((value) => value != null)
    if (sizes.length === 0) return assumedSize
    return Math.max(0, ...sizes.map((value) => (Array.isArray(value) ? value.length : Number(value))))
  }
}
