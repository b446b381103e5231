import { type ExecutionResult, GraphQLError, type GraphQLSchema, getOperationAST } from 'graphql'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import { newDocuments } from './documents.ts'
import { hashOfDocument, newPersistedDocuments, plainHash, type TrustedDocuments } from './hashed-documents.ts'
import type { PreparedOperation } from './prepared-operation.ts'
import { truncate } from './truncate.ts'

/** Parameters of a GraphQL request as the client sent them. Their types are not checked yet. */
export interface RequestParams {
  readonly query?: unknown
  readonly documentId?: unknown
  readonly operationName?: unknown
  readonly variables?: unknown
  readonly extensions?: unknown
}

/** A request that is not executed, with its errors. */
export interface RefusedRequest {
  readonly refusal: ExecutionResult
  /** What prevents the execution. `unknown hash`: the client must send the document itself. */
  readonly reason: 'malformed parameters' | 'invalid document' | 'unknown hash'
}

/** Who sends a document. */
interface Sender {
  readonly accountId: number
  /** The person of a session. */
  readonly user?: object | undefined
  /** The access token, if the request has one instead of its key or session. */
  readonly token?: object | undefined
}

/**
 * Parses and validates a request. Returns the operation, or the errors of a request that is not executed. With a sender, clients
 * of its account can send a document once with its hash, and its hash alone afterwards; and where only trusted documents are
 * executed, others are refused. People in the console are excepted: their sessions count only for requests of its pages.
 */
export type Prepare = (params: RequestParams, sender?: Sender) => PreparedOperation | RefusedRequest

export interface PrepareOptions {
  readonly schema: GraphQLSchema
  readonly trusted: TrustedDocuments
  /** Whether documents of API keys and access tokens must be trusted. */
  readonly trustedOnly: boolean
  /** Whether documents may read the schema. */
  readonly introspection: boolean
  /** Texts of the documents of the REST API. */
  readonly fixedDocuments: ReadonlySet<string>
  readonly log: Log
}

/** Creates what prepares the requests of a process. It keeps the documents that it has parsed, and those with a hash. */
export function newPrepare(options: PrepareOptions): Prepare {
  const { schema, trusted, trustedOnly, introspection, fixedDocuments, log } = options
  const parseDocument = newDocuments(schema, { introspection, log })
  const persisted = newPersistedDocuments()

  /** Returns the text of the document. Undefined if there is none, or the ID is not of a known document. */
  const documentText = ({ query, documentId }: RequestParams, hash: string | undefined, accountId?: number) => {
    if (typeof query === 'string' && query !== '') return query
    if (typeof documentId === 'string') return trusted.text(documentId)
    if (hash === undefined) return undefined
    return trusted.text(hash) ?? (accountId === undefined ? undefined : persisted.text(accountId, hash))
  }

  return (params, sender) => {
    const accountId = sender?.accountId
    const hash = persistedHash(params)
    const text = documentText(params, hash, accountId)
    if (text === undefined) {
      if (hash !== undefined) return unknownHash
      return malformed('Send a "query", or the ID of a trusted document of this server.')
    }
    const isNew = params.query === text && hash !== undefined
    if (isNew && hashOfDocument(text) !== hash) return malformed('The hash is not the SHA-256 of the document.')
    const { variables, operationName, extensions } = params
    if (variables != null && !isRecord(variables)) return malformed('"variables" must be an object.')
    if (extensions != null && !isRecord(extensions)) return malformed('"extensions" must be an object.')
    if (operationName != null && typeof operationName !== 'string') return malformed('"operationName" must be text.')
    const trustedName = trusted.nameOf(text)
    const isFixedDocument = fixedDocuments.has(text)
    const isPerson = sender?.user !== undefined && !sender.token
    if (trustedOnly && sender && !isPerson && trustedName === undefined && !isFixedDocument) return untrusted
    const parsed = parseDocument(text)
    if ('errors' in parsed) return { refusal: parsed, reason: 'invalid document' }
    if (isNew && accountId !== undefined) persisted.add(accountId, hash, text)
    const { document } = parsed
    if (!getOperationAST(document, operationName)) {
      return malformed(
        operationName
          ? `There is no operation "${truncate(operationName, 100)}" in the document.`
          : 'Name one operation of the document in "operationName".',
      )
    }
    return {
      text,
      document,
      variables: (variables as Record<string, unknown> | null | undefined) ?? {},
      operationName: operationName ?? undefined,
      trustedName,
      isFixedDocument,
      isByHash: hash !== undefined || typeof params.documentId === 'string',
      reportsCosts: extensions?.['cost'] === true,
    }
  }
}

function malformed(message: string): RefusedRequest {
  return { refusal: refusalOf(message, 'BAD_REQUEST'), reason: 'malformed parameters' }
}

function refusalOf(message: string, code: ErrorCode): ExecutionResult {
  return { errors: [new GraphQLError(message, { extensions: { code } })] }
}

const untrusted: RefusedRequest = {
  refusal: refusalOf('This server executes trusted documents only (TRUSTED_DOCUMENTS_ONLY).', 'FORBIDDEN'),
  reason: 'invalid document',
}

/** The error after which Apollo's clients send the document itself. They recognise it by its message or its code. */
const unknownHash: RefusedRequest = {
  refusal: refusalOf('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND'),
  reason: 'unknown hash',
}

/** Returns the hash in `extensions.persistedQuery` (Apollo's automatic persisted queries). */
function persistedHash({ extensions }: RequestParams): string | undefined {
  const persisted = isRecord(extensions) ? extensions['persistedQuery'] : undefined
  const hash = isRecord(persisted) ? persisted['sha256Hash'] : undefined
  return typeof hash === 'string' && /^(sha256:)?[0-9a-f]{64}$/i.test(hash) ? plainHash(hash) : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
