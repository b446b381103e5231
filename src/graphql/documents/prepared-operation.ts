import type { DocumentNode } from 'graphql'

/** An operation of a valid document. */
export interface PreparedOperation {
  readonly text: string
  readonly document: DocumentNode
  readonly variables: Record<string, unknown>
  readonly operationName: string | undefined
  /** Name of the trusted document, for metrics. Undefined if the document is not trusted. */
  readonly trustedName: string | undefined
  /** Whether the document is one of the REST API, also if a bridge in another process sends it. */
  readonly isFixedDocument?: boolean
  /** Whether the client named the document by its hash. */
  readonly isByHash?: boolean
  /** Whether the client asked for the dearest fields of the document, with `"cost": true` in the extensions. */
  readonly reportsCosts?: boolean
}

/** What is executed: a result of `prepare`, or a document of the REST bridge, which has no text. */
export type RunnableOperation = Omit<PreparedOperation, 'text' | 'trustedName'> &
  Partial<Pick<PreparedOperation, 'text' | 'trustedName'>>
