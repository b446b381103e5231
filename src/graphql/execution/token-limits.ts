import { type ExecutionResult, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql'
import { shortHash } from '../../kernel/web/tokens.ts'
import { hashOfDocument } from '../documents/hashed-documents.ts'
import type { RunnableOperation } from '../documents/prepared-operation.ts'
import { type AdmittedCaller, errorResult } from './admission.ts'

/**
 * Returns the error of an operation that the caller's access token does not execute, or undefined. A token executes the trusted
 * documents that it names, or all subscriptions and the query for the cursor at which they start.
 */
export function refusalOfToken(
  { document, operationName, text = '', trustedName }: RunnableOperation,
  { token }: AdmittedCaller,
): ExecutionResult | undefined {
  if (!token) return undefined
  const operation = getOperationAST(document, operationName)
  if (!operation || operation.operation === 'mutation')
    return errorResult('An access token executes no mutations.', 'FORBIDDEN')
  if (isOfCursor(operation)) return undefined
  if (token.documents) {
    const isNamed = trustedName !== undefined && token.documents.includes(shortHash(hashOfDocument(text)))
    return isNamed ? undefined : errorResult('The access token does not execute this document.', 'FORBIDDEN')
  }
  if (operation.operation === 'subscription') return undefined
  return errorResult('An access token without documents executes subscriptions only.', 'FORBIDDEN')
}

/** Returns whether a query asks for nothing but the current cursor, which clients do before they subscribe. */
function isOfCursor({ operation, selectionSet }: OperationDefinitionNode): boolean {
  const isCursor = (name: string) => name === 'eventCursor' || name === '__typename'
  return (
    operation === 'query' &&
    selectionSet.selections.every((each) => each.kind === Kind.FIELD && isCursor(each.name.value))
  )
}
