import { randomUUID } from 'node:crypto'
import { GraphQLError } from 'graphql'
import { unavailable } from '../../db/unavailable.ts'
import { unstorableText } from '../../db/unstorable-text.ts'
import { type ErrorCode, errorCodes, fieldCodes, Refusal } from '../../kernel/errors.ts'
import { fullAccess, lackOf, MissingScope } from '../../kernel/scopes.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import { builder } from './builder.ts'
import { scopeName } from './query.ts'

builder.enumType('ErrorCode', {
  description: 'Values of `extensions.code` of an error. Codes other than `SERVER_ERROR` describe expected failures.',
  values: Object.fromEntries(Object.entries(errorCodes).map(([code, description]) => [code, { description }])),
})

builder.enumType('FieldErrorCode', {
  description: 'Values of `code` in `extensions.fields` of an error that is about arguments.',
  values: Object.fromEntries(Object.entries(fieldCodes).map(([code, description]) => [code, { description }])),
})

/** Returns the extensions of a Refusal as clients receive them. `details` has the messages of `fields` by path. */
export function extensionsOf({ code, fields, values }: Refusal) {
  if (fields.length === 0) return { code, ...values }
  const details: Record<string, string[]> = {}
  for (const { path, member, message } of fields) {
    details[path] = [...(details[path] ?? []), member === undefined ? message : `${member} ${message}`]
  }
  return { code, ...values, details, fields }
}

/** Codes of errors that graphql-js and the document checks raise before execution. Their messages are for clients. */
const clientErrors: readonly ErrorCode[] = ['BAD_REQUEST', 'QUERY_TOO_COMPLEX']

/**
 * Returns the error that a client receives. A Refusal keeps its code and details. An error in the client's document becomes
 * BAD_REQUEST. Any other error is masked as SERVER_ERROR, and logged under an id that is part of the message.
 */
export function toClientError(error: unknown, log: Log): GraphQLError {
  const graphqlError = error instanceof GraphQLError ? error : undefined
  const cause = graphqlError?.originalError ?? (graphqlError ? undefined : error)
  const place = {
    nodes: graphqlError?.nodes ?? null,
    source: graphqlError?.source ?? null,
    positions: graphqlError?.positions ?? null,
    path: graphqlError?.path ?? null,
  }
  const clientError = (message: string, code: ErrorCode, more?: object) =>
    new GraphQLError(message, { ...place, extensions: { code, ...more } })
  const outage = unavailable(cause)

  if (outage) {
    const { retryAfterSeconds } = outage
    if (outage !== cause) log.error({ err: cause, path: graphqlError?.path }, 'the database did not answer')
    return clientError(outage.message, outage.code, { retryAfterSeconds })
  }
  if (cause instanceof MissingScope) {
    const scope = scopeName(cause.scope)
    return clientError(cause.scope === fullAccess ? cause.message : lackOf(scope), cause.code, { scope })
  }
  if (cause instanceof Refusal) return clientError(cause.message, cause.code, extensionsOf(cause))
  if (graphqlError && (cause === undefined || cause instanceof GraphQLError)) {
    const code = graphqlError.extensions['code'] ?? (cause as GraphQLError | undefined)?.extensions['code']
    const isKnown = clientErrors.includes(code as ErrorCode)
    return clientError(graphqlError.message, isKnown ? (code as ErrorCode) : 'BAD_REQUEST')
  }
  const unstorable = unstorableText(cause)
  if (unstorable) return clientError(unstorable.message, unstorable.code)
  const id = randomUUID()
  log.error({ err: cause, id, path: graphqlError?.path }, 'a request failed')
  return clientError(`Something went wrong on our side. Quote ${id} when you report it.`, 'SERVER_ERROR')
}
