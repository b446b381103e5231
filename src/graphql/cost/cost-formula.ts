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
import type { FieldCost } from './field-cost.ts'
import { introspectionCosts } from './introspection-cost.ts'

type Variables = Readonly<Record<string, unknown>>

type Annotation = number | FieldCost | ((args: Record<string, unknown>) => number | FieldCost)

/** The cost of an operation, as a function of its variables. */
export interface CostFormula {
  /**
   * Returns the estimated points of the operation with these coerced variables: one for each field, multiplied by the
   * elements of the lists around it. Throws if an argument has no value.
   */
  bound(variables: Variables): number
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

/** The points of a part of an operation, within a page of this size. */
type Term = (variables: Variables, page: number) => number

/** A part of an operation: its points, and its number of fields without the lists inside it. */
interface Part {
  readonly term: Term
  readonly width: number
}

/** An operation that is being read, and the number of fields that were read so far. */
interface Reading {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  fields: number
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
  const reading: Reading = { schema, fragments, fields: 0 }
  const { term } = readSelection(reading, operation.selectionSet, root, new Set())
  return { bound: (variables) => Math.max(1, Math.ceil(term(variables, 1))), fields: reading.fields }
}

/** Reads a selection set. `spread` has the fragments that were read in it, and gets those that it spreads. */
function readSelection(reading: Reading, set: SelectionSetNode, type: GraphQLNamedType, spread: Set<string>): Part {
  const terms: Term[] = []
  let width = 0
  for (const selection of set.selections) {
    const isIncluded = inclusionOf(selection)
    // Execution collects a named fragment once per selection set, unless a directive excludes it.
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      if (spread.has(selection.name.value)) continue
      if (!isIncluded) spread.add(selection.name.value)
    }
    const part =
      selection.kind === Kind.FIELD
        ? readField(reading, selection, type)
        : readFragment(reading, selection, type, isIncluded ? new Set(spread) : spread)
    const { term } = part
    terms.push(isIncluded ? (variables, page) => (isIncluded(variables) ? term(variables, page) : 0) : term)
    width += part.width
  }
  const term: Term = (variables, page) => {
    let points = 0
    for (const each of terms) points += each(variables, page)
    return points
  }
  return { term, width }
}

function readFragment(
  reading: Reading,
  selection: FragmentSpreadNode | InlineFragmentNode,
  type: GraphQLNamedType,
  spread: Set<string>,
): Part {
  const { schema, fragments } = reading
  const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
  if (!fragment) throw new Error('A fragment is missing.')
  const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
  if (!on) throw new Error('A type is missing.')
  return readSelection(reading, fragment.selectionSet, on, spread)
}

function readField(reading: Reading, node: FieldNode, parent: GraphQLNamedType): Part {
  reading.fields += 1
  const field = fieldOf(reading.schema, parent, node.name.value)
  const isList = isListType(getNullableType(field.type))
  const costOf = costReader(reading.schema, field, node)
  const inner = node.selectionSet && readSelection(reading, node.selectionSet, getNamedType(field.type), new Set())
  if (isList && inner) widths.set(node, inner.width)
  return {
    width: isList || !inner ? 1 : 1 + inner.width,
    term: (variables, page) => {
      const cost = costOf(variables)
      const own = cost.field ?? 1
      if (!inner) return own
      const times = cost.isOfPage ? page : (cost.multiplier ?? 1)
      return own + times * inner.term(variables, cost.page ?? page)
    },
  }
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

/** Returns the cost of a field as a function of the variables. Evaluates its arguments only if the cost depends on them. */
function costReader(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): (variables: Variables) => FieldCost {
  const annotation = (field.extensions['complexity'] ?? introspectionCosts(schema).get(field)) as Annotation | undefined
  if (typeof annotation === 'function') {
    return (variables) => asCost(annotation(getArgumentValues(field, node, variables)))
  }
  const cost = asCost(annotation ?? 1)
  return () => cost
}

function asCost(cost: number | FieldCost): FieldCost {
  return typeof cost === 'number' ? { field: cost } : cost
}
