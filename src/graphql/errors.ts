import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { unavailable } from '../db/outage.ts'
import { type Details, type ErrorCode, errorCodes, Refusal } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { builder } from './builder.ts'

builder.enumType('ErrorCode', {
  description: 'What `extensions.code` of an error can be. An error of any other kind is a fault of the server.',
  values: Object.fromEntries(Object.entries(errorCodes).map(([code, description]) => [code, { description }])),
})

/** The errors that graphql-js, and what checks documents, raise before anything is executed: the client's, and readable. */
const clientErrors: readonly ErrorCode[] = ['BAD_REQUEST', 'QUERY_TOO_COMPLEX']

/**
 * What a client sees of an error. Refusals show their code and details; what the client's own document did wrong is
 * BAD_REQUEST; everything else is a fault: masked, and logged under an id that the client is told.
 */
export function shown(error: unknown, log: Log): GraphQLError {
  const graphqlError = error instanceof GraphQLError ? error : undefined
  const cause = graphqlError?.originalError ?? (graphqlError ? undefined : error)
  const place = {
    nodes: graphqlError?.nodes ?? null,
    source: graphqlError?.source ?? null,
    positions: graphqlError?.positions ?? null,
    path: graphqlError?.path ?? null,
  }
  const show = (message: string, code: ErrorCode, details?: Details, more?: object) =>
    new GraphQLError(message, { ...place, extensions: { code, ...(details && { details }), ...more } })
  const away = unavailable(cause)

  if (away) {
    const { retryAfterSeconds } = away
    if (away !== cause) log.error({ err: cause, path: graphqlError?.path }, 'the database gave no answer')
    return show(away.message, away.code, undefined, { retryAfterSeconds })
  }
  if (cause instanceof Refusal) return show(cause.message, cause.code, cause.details)
  if (graphqlError && (cause === undefined || cause instanceof GraphQLError)) {
    const code = graphqlError.extensions['code'] ?? (cause as GraphQLError | undefined)?.extensions['code']
    return show(graphqlError.message, clientErrors.includes(code as ErrorCode) ? (code as ErrorCode) : 'BAD_REQUEST')
  }
  if (isUnstorableText(cause)) return show('Text must not contain the character NUL.', 'VALIDATION_ERROR')
  const id = randomUUID()
  log.error({ err: cause, id, path: graphqlError?.path }, 'a request failed')
  return show(`Something went wrong on our side. Quote ${id} when you report it.`, 'SERVER_ERROR')
}

/** PostgreSQL's refusal of NUL in text (SQLSTATE 22021), whichever way it reached us. */
function isUnstorableText(error: unknown): boolean {
  const { code, meta } = (error ?? {}) as {
    code?: unknown
    meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } }
  }
  return code === '22021' || meta?.driverAdapterError?.cause?.originalCode === '22021'
}
