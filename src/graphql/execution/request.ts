import type { ExecutionResult } from 'graphql'
import type { Client } from '../../db/client.ts'
import type { AdmittedCaller } from './admission.ts'

/** The context of a request that does not depend on its document: the caller, its limits and its transport. */
export interface Request {
  readonly admitted: AdmittedCaller
  /** IP address of the client. */
  readonly address?: string | undefined
  readonly idempotencyKey?: string | undefined
  /** Cursor after which an interrupted subscription resumes (`Last-Event-ID` of server-sent events). */
  readonly lastEventId?: string | undefined
  /** Where the query is read. Defaults to the primary. */
  readonly db?: Client | undefined
  /** The WebSocket of the request. The number of subscriptions on it is limited. */
  readonly socket?: object | undefined
  /** Whether the document belongs to the REST bridge in this process. */
  readonly isOwnDocument?: boolean | undefined
  /** Whether the response names the dearest fields of the document. */
  readonly reportsCosts?: boolean | undefined
  /** Whether the document is one of the REST API, whose response the REST specification fixes. */
  readonly isFixedDocument?: boolean | undefined
}

/** Returns whether an execution returned a single result, not a stream. */
export function isPlainResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result)
}
