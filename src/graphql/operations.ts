import { type DocumentNode, type GraphQLSchema, getOperationAST, type OperationDefinitionNode } from 'graphql'
import { type CostFormula, costFormula } from './cost-formula.ts'
import { type Variable, variablesOf } from './variables.ts'

/** One operation of a document, and what was found out about it once for all who send it. */
export interface Operation {
  readonly definition: OperationDefinitionNode
  readonly cost: CostFormula
  readonly variables: readonly Variable[]
}

const known = new WeakMap<DocumentNode, Map<string, Operation>>()

/**
 * The operation of a valid document that a name chooses, or the only one. It is read once for each document, so documents
 * should come from a cache. Throws if the name chooses none.
 */
export function operationOf(schema: GraphQLSchema, document: DocumentNode, name: string | null | undefined): Operation {
  const operations = known.get(document) ?? new Map<string, Operation>()
  known.set(document, operations)
  const found = operations.get(name ?? '')
  if (found) return found
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
