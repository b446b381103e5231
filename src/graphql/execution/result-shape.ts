import {
  type DocumentNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLLeafType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isAbstractType,
  isEnumType,
  isLeafType,
  isListType,
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import { fieldOf } from '../cost/cost-formula.ts'
import { countText, sizeOf } from './result-size.ts'

/** Counts the fields in a part of a result. Returns `mismatch` if a leaf does not have the type of its field. */
type ShapeCheck = (value: unknown) => number

/** Result of a check whose value has another shape. */
export const mismatch = -1

/**
 * Returns what checks the data of an operation, so that its leaves need no serialization: most resolvers return the type of their field
 * already. Undefined if the types of objects depend on their values, or if values of an enum have other names in responses.
 */
export function shapeOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { selectionSet, operation }: OperationDefinitionNode,
): ShapeCheck | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const each of document.definitions) {
    if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each)
  }

  /** Adds the fields of a selection set to those of the object, by their name in the response. */
  const collect = (set: SelectionSetNode, type: GraphQLOutputType, fields: Map<string, FieldNode[]>): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value
        fields.set(name, [...(fields.get(name) ?? []), selection])
        continue
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value)
      if (!fragment) throw new NoShape()
      const on = fragment.typeCondition ? typeFromAST(schema, fragment.typeCondition) : type
      if (!isObjectType(type) || !(isObjectType(on) || isAbstractType(on))) throw new NoShape()
      if (on === type || doTypesOverlap(schema, on, type)) collect(fragment.selectionSet, type, fields)
    }
  }

  const ofType = (type: GraphQLOutputType, nodes: readonly FieldNode[]): ShapeCheck => {
    const given = getNullableType(type)
    if (isLeafType(given)) return leafShape(given)
    if (isListType(given)) return listShape(ofType(given.ofType, nodes))
    if (!isObjectType(given)) throw new NoShape()
    const fields = new Map<string, FieldNode[]>()
    for (const { selectionSet: inner } of nodes) if (inner) collect(inner, given, fields)
    return objectShape(
      [...fields].map(([key, [first, ...more]]) => {
        const { type: fieldType } = fieldOf(schema, given, (first as FieldNode).name.value)
        return { key, check: ofType(fieldType, [first as FieldNode, ...more]) }
      }),
    )
  }

  const root = schema.getRootType(operation)
  if (!root) return undefined
  try {
    return ofType(root, [{ selectionSet } as FieldNode])
  } catch (error) {
    if (error instanceof NoShape) return undefined
    throw error
  }
}

/** The shape of the results is not known before they are. */
class NoShape extends Error {}

function objectShape(fields: readonly { readonly key: string; readonly check: ShapeCheck }[]): ShapeCheck {
  return (value) => {
    let size = fields.length
    for (const { key, check } of fields) {
      const field = (value as Record<string, unknown>)[key]
      // A directive has excluded it.
      if (field === undefined) size -= 1
      // The execution has checked which fields must not be null.
      if (field == null) continue
      const inner = check(field)
      if (inner < 0) return mismatch
      size += inner
    }
    return size
  }
}

function listShape(check: ShapeCheck): ShapeCheck {
  return (value) => {
    let size = 0
    for (const item of value as readonly unknown[]) {
      if (item == null) continue
      const inner = check(item)
      if (inner < 0) return mismatch
      size += inner
    }
    return size
  }
}

const resultOf = (isOfType: boolean) => (isOfType ? 0 : mismatch)

const textShape: ShapeCheck = (value) => {
  if (typeof value !== 'string') return mismatch
  countText(value)
  return 0
}

const scalarShapes: Readonly<Record<string, ShapeCheck>> = {
  String: textShape,
  ID: textShape,
  Boolean: (value) => resultOf(typeof value === 'boolean'),
  // Integers of 32 bits.
  Int: (value) => resultOf(typeof value === 'number' && (value | 0) === value),
  Float: (value) => resultOf(Number.isFinite(value)),
}

function leafShape(type: GraphQLLeafType): ShapeCheck {
  if (isEnumType(type)) {
    const values = type.getValues()
    if (values.some(({ name, value }) => name !== value)) throw new NoShape()
    const names = new Set<unknown>(values.map(({ name }) => name))
    return (value) => resultOf(names.has(value))
  }
  // Other scalars are serialized by the execution.
  return (isSpecifiedScalarType(type) && scalarShapes[type.name]) || sizeOf
}
