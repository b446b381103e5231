import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql'
import type { Log } from '../kernel/log.ts'
import { cut } from './cut.ts'
import { newDocuments } from './documents.ts'
import { isPlainResult, type Request } from './request.ts'
import type { Stream, Streams } from './streams.ts'
import type { TrustedDocuments } from './trusted.ts'
import type { Yoga } from './yoga.ts'

/** What a client sends: a document or the name of a trusted one, and what goes with it. */
export interface Asked {
  readonly query?: unknown
  readonly documentId?: unknown
  readonly operationName?: unknown
  readonly variables?: unknown
  readonly extensions?: unknown
}

/** Why nothing is executed: the request has not the form of one, or its document is wrong. */
export interface Refused {
  readonly refusal: ExecutionResult
  readonly isMalformed: boolean
}

/** A document that has passed parsing and validation. */
export interface Ready {
  readonly text: string
  readonly document: DocumentNode
  readonly variables: Record<string, unknown>
  readonly operationName: string | undefined
  readonly trustedName: string | undefined
  /** Whether it is one of the bridge's that write, whoever sends it: a bridge in another process does. */
  readonly isFixedWrite?: boolean
}

type Runnable = Pick<Ready, 'document' | 'variables' | 'operationName' | 'isFixedWrite'>

export interface ExecutorOptions {
  readonly yoga: Yoga
  readonly schema: GraphQLSchema
  readonly streams: Streams
  readonly trusted: TrustedDocuments
  /** The texts of the documents with which the REST API writes. */
  readonly fixedWrites: ReadonlySet<string>
  readonly log: Log
}

export interface Executor {
  /** Reads what was asked; answers the refusal where it is no valid document. */
  prepare(asked: Asked): Ready | Refused
  /** Executes a document that is known to be valid: one that `prepare` gave, or one of the bridge's. */
  run(ready: Runnable, request: Request): Promise<ExecutionResult>
  /** Subscribes; the answer is a stream, or one result that says why not. */
  subscribe(ready: Ready, request: Request, door: string): Promise<Stream | ExecutionResult>
}

/** Executes documents without HTTP in between, under all that guards the graph. */
export function newExecutor(options: ExecutorOptions): Executor {
  const { yoga, streams, trusted, fixedWrites } = options
  const readDocument = newDocuments(options.schema, options.log)
  const argsOf = async (ready: Runnable, request: Request) => {
    const { isFixedWrite = false } = ready
    const { contextFactory, execute, schema } = yoga.getEnveloped({ ...request, isFixedWrite } as never)
    const contextValue = await contextFactory()
    const args = {
      schema,
      document: ready.document,
      contextValue,
      variableValues: ready.variables,
      operationName: ready.operationName,
    }
    return { args, execute }
  }
  return {
    prepare: (asked) => {
      const malformed = (message: string): Refused => ({
        refusal: { errors: [new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })] },
        isMalformed: true,
      })
      const text = textOf(asked, trusted)
      if (text === undefined) return malformed('Send a "query", or the id of a trusted document that is known here.')
      const { variables, operationName } = asked
      if (variables != null && !isRecord(variables)) return malformed('"variables" must be an object.')
      if (asked.extensions != null && !isRecord(asked.extensions)) return malformed('"extensions" must be an object.')
      if (operationName != null && typeof operationName !== 'string') return malformed('"operationName" must be text.')
      const read = readDocument(text)
      if ('errors' in read) return { refusal: read, isMalformed: false }
      const { document } = read
      if (!getOperationAST(document, operationName)) {
        return malformed(
          operationName
            ? `There is no operation "${cut(operationName, 100)}" in the document.`
            : 'Name one operation of the document in "operationName".',
        )
      }
      return {
        text,
        document,
        variables: (variables as Record<string, unknown> | null | undefined) ?? {},
        operationName: operationName ?? undefined,
        trustedName: trusted.nameOf(text),
        isFixedWrite: fixedWrites.has(text),
      }
    },
    run: async (ready, request) => {
      const { args, execute } = await argsOf(ready, request)
      const result: unknown = await execute(args)
      if (!isPlainResult(result)) throw new Error('A query or mutation answered a stream.')
      return result
    },
    subscribe: streams.subscribe,
  }
}

/** The document's text, or undefined where there is none, or an id that names none here. */
function textOf(asked: Asked, trusted: TrustedDocuments): string | undefined {
  if (typeof asked.query === 'string' && asked.query !== '') return asked.query
  if (typeof asked.documentId === 'string') return trusted.text(asked.documentId)
  const persisted = isRecord(asked.extensions) ? asked.extensions['persistedQuery'] : undefined
  const hash = isRecord(persisted) ? persisted['sha256Hash'] : undefined
  return typeof hash === 'string' ? trusted.text(hash) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
