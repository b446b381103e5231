import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
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
import { introspectionCosts } from './introspection-cost.ts'

type Variables = Readonly<Record<string, unknown>>

/** What a field costs: its own points, and how often its selection counts. `page` is for what leads to a connection. */
export interface FieldCost {
  readonly field?: number | undefined
  /** How many elements a list is estimated to have. */
  readonly multiplier?: number | undefined
  /** How many rows the page has at most; counts for the fields of the connection that are `ofPage`. */
  readonly page?: number | undefined
  /** Counts its selection once for each row of the page. */
  readonly isOfPage?: boolean | undefined
}

type Annotation = number | FieldCost | ((args: Record<string, unknown>) => number | FieldCost)

/** What an operation can cost. */
export interface CostFormula {
  /**
   * The points that the operation is estimated to cost with these coerced variables: one for each field, times the rows
   * of the lists around it. Throws if an argument has no value.
   */
  bound(variables: Variables): number
  /** How many fields the operation has, those of a fragment each time that it is used. */
  readonly fields: number
}

const widths = new WeakMap<FieldNode, number>()

/** How many fields an element of a list shows, without the lists inside of it; for a list whose operation was read. */
export function widthOf(nodes: readonly FieldNode[]): number {
  let width = 0
  for (const node of nodes) width += widths.get(node) ?? 1
  return width
}

/** The points of a part of an operation, in the rows of a page of this size. */
type Term = (variables: Variables, page: number) => number

/**
 * Reads an operation once and returns the formula of its cost. The document must be valid. Fields of several fragments
 * are added up, though a row may be of one type only.
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

  /** The terms of a selection, and how many fields it shows without the lists inside it. */
  const readSelection = (set: SelectionSetNode, type: GraphQLNamedType, spread: Set<string>) => {
    const terms: Term[] = []
    let width = 0
    for (const selection of set.selections) {
      const isIncluded = inclusionOf(selection)
      let part: { term: Term; width: number }
      if (selection.kind === Kind.FIELD) {
        part = readField(selection, type)
      } else {
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
        if (!fragment) throw new Error('A fragment is missing.')
        // Execution collects a named fragment once for each selection, and so does this, if it is always collected.
        if (selection.kind === Kind.FRAGMENT_SPREAD) {
          if (spread.has(selection.name.value)) continue
          if (!isIncluded) spread.add(selection.name.value)
        }
        const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
        if (!on) throw new Error('A type is missing.')
        part = readSelection(fragment.selectionSet, on, isIncluded ? new Set(spread) : spread)
      }
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

  let fields = 0
  const readField = (node: FieldNode, parent: GraphQLNamedType): { term: Term; width: number } => {
    fields += 1
    const field = fieldOf(schema, parent, node.name.value)
    const isList = isListType(getNullableType(field.type))
    const costOf = costReader(schema, field, node)
    const inner = node.selectionSet && readSelection(node.selectionSet, getNamedType(field.type), new Set())
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

  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`The schema has no ${operation.operation} type.`)
  const { term } = readSelection(operation.selectionSet, root, new Set())
  return { bound: (variables) => Math.max(1, Math.ceil(term(variables, 1))), fields }
}

/** Whether a selection is included with these variables; undefined if no directive decides that. */
function inclusionOf(node: { directives?: readonly DirectiveNode[] }): ((variables: Variables) => boolean) | undefined {
  if (!node.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return undefined
  return (variables) =>
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false
}

function fieldOf(schema: GraphQLSchema, parent: GraphQLNamedType, name: string): GraphQLField<unknown, unknown> {
  if (name === '__typename') return TypeNameMetaFieldDef
  if (parent === schema.getQueryType() && name === '__schema') return SchemaMetaFieldDef
  if (parent === schema.getQueryType() && name === '__type') return TypeMetaFieldDef
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  if (!field) throw new Error(`There is no field ${parent.name}.${name}.`)
  return field
}

/** What a field costs with given variables; its arguments are read again only if its cost depends on them. */
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
