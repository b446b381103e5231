import { type DocumentNode, type GraphQLSchema, getOperationAST, type OperationDefinitionNode } from 'graphql'
import { type CostFormula, costFormula } from '../cost/cost-formula.ts'
import { type Variable, variablesOf } from './variables.ts'

/** One operation of a document, with its cost formula and its variables. */
export interface Operation {
  readonly definition: OperationDefinitionNode
  readonly cost: CostFormula
  readonly variables: readonly Variable[]
}

const cache = new WeakMap<DocumentNode, Map<string, Operation>>()

/**
 * Returns the named operation of a valid document, or its only one. Results are cached by document object, so documents
 * should come from a cache too. Throws if the document has no such operation.
 */
export function operationOf(schema: GraphQLSchema, document: DocumentNode, name: string | null | undefined): Operation {
  const operations = cache.get(document) ?? new Map<string, Operation>()
  cache.set(document, operations)
  const cached = operations.get(name ?? '')
  if (cached) return cached
  const definition = getOperationAST(document, name)
  if (!definition) throw new Error(`The document has no operation ${JSON.stringify(name)} to execute.`)
  const operation = {
    definition,
    cost: costFormula(schema, document, definition),
    variables: variablesOf(schema, definition),
  }
  operations.set(name ?? '', operation)
  return operation
}
