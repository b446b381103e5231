import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { t } from '@lingui/core/macro'
import { useCallback, useEffect, useRef } from 'react'
import { type AnyVariables, type CombinedError, useMutation, useQuery, useSubscription } from 'urql'
import { readErrors } from '../../client/errors.ts'
import {
  ChangesDocument,
  type ChangesSubscription,
  type ChangesSubscriptionVariables,
} from '../generated/shell.documents.ts'
import { fieldWords, sentence } from '../shared/format.ts'
import { forgetStarted, isStarted } from './first-query.ts'

export type EventType = NonNullable<NonNullable<ChangesSubscriptionVariables['filter']>['types']>[number]
export type EventFilter = NonNullable<ChangesSubscriptionVariables['filter']>

/** A screen's query: its data so far, its error, and whether the first answer is awaited. What is null could not be read. */
export interface ScreenResult<Data> {
  readonly data: Data | undefined
  readonly error: CombinedError | undefined
  readonly isLoading: boolean
  readonly isStale: boolean
  /** Reads the screen again from the server. */
  reload(): void
}

/**
 * Executes the only query of a screen. What was read stays shown if it cannot be read again, and is read again when the
 * browser is connected.
 */
export function useScreen<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): ScreenResult<Data> {
  const requestPolicy = isStarted(query, variables) ? 'cache-first' : 'cache-and-network'
  const [{ data: found, error, fetching, stale, operation }, execute] = useQuery({
    query,
    variables,
    requestPolicy,
  } as Parameters<typeof useQuery<Data, Variables>>[0])
  useEffect(() => forgetStarted, [])
  const reload = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute])
  // The cache fills what it does not contain with null, which would look as if it did not exist.
  const isPartial = operation?.context.meta?.cacheOutcome === 'partial' && stale
  const data = isPartial ? undefined : found
  // A list is shown until the next page of it, or what another filter finds, has arrived.
  const key = JSON.stringify(Object(variables).id)
  const all = JSON.stringify(variables)
  const last = useRef({ key, all, data })
  if (data) last.current = { key, all, data }
  const isCut = error?.networkError !== undefined
  // What another filter found is not shown as what this one finds, once it is known that nothing arrives.
  const isKept = last.current.key === key && (last.current.all === all || error === undefined)
  const shown = data ?? (isKept ? last.current.data : undefined)
  useEffect(() => {
    if (isCut) addEventListener('online', reload)
    return () => removeEventListener('online', reload)
  }, [isCut, reload])
  // A query that failed before its screen was rendered stays stale: nothing more is awaited.
  const isAwaited = fetching || (stale && error === undefined)
  return { data: shown, error, isLoading: isAwaited && !shown, isStale: stale && isAwaited, reload }
}

/** Least time between two reloads of a screen because of events, in milliseconds. */
const reloadEveryMs = 3_000

interface LiveOptions {
  /** The subscription, if its events contain more than what lists show. */
  readonly document?: typeof ChangesDocument
  /** Whether an update changes nothing but the object that comes with its event, so that the screen need not be read again. */
  readonly isMerged?: boolean
}

/**
 * Shows changes. The cache takes the objects from the events as they arrive. Reloads the screen for what events do not
 * contain, at most every three seconds and only while the tab is visible. Subscribes after the cursor that the screen's
 * first answer contained, so that no change between the two is missed.
 */
export function useLive(
  after: string | null | undefined,
  filter: EventFilter,
  reload: () => void,
  { document: query = ChangesDocument, isMerged = false }: LiveOptions = {},
): void {
  const start = useRef(after)
  start.current ??= after
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onEvent = (_: unknown, data: ChangesSubscription) => {
    if (isMerged && /^[A-Z]+_UPDATED$/.test(data.events.type)) return data
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      if (document.visibilityState === 'visible') reload()
      else document.addEventListener('visibilitychange', reload, { once: true })
    }, reloadEveryMs)
    return data
  }
  useSubscription(
    { query, variables: { after: start.current ?? null, filter }, pause: !start.current },
    onEvent as never,
  )
  useEffect(() => () => clearTimeout(timer.current), [])
}

/** What came of a mutation: its data, or a sentence and the sentences at the fields of its input. */
export type Outcome<Data> =
  | { readonly data: Data; readonly error?: undefined; readonly code?: undefined }
  | {
      readonly data?: undefined
      readonly error: string
      /** The `ErrorCode`. Undefined if the server could not be reached. */
      readonly code?: string
      readonly fields: Readonly<Record<string, string>>
    }

/** Returns a function that executes a mutation, and whether it is under way. Errors at fields are named without `input.`. */
export function useAction<Data, Variables extends AnyVariables>(document: TypedDocumentNode<Data, Variables>) {
  const [{ fetching }, execute] = useMutation(document)
  const run = useCallback(
    async (variables: Variables): Promise<Outcome<Data>> => {
      const { data, error } = await execute(variables)
      return error || !data ? failureOf(error) : { data }
    },
    [execute],
  )
  return [run, fetching] as const
}

/** Returns what an error of the server says: a sentence, and the sentences at the fields of the input. */
export function failureOf(error: CombinedError | undefined): Outcome<never> {
  const [first, ...others] = readErrors(error)
  const fields = [first, ...others].flatMap((each) => each?.fields ?? [])
  // Only the message of a VALIDATION_ERROR lists the reasons of the fields; other codes have a sentence of their own.
  const isList = first?.code === 'VALIDATION_ERROR'
  if (!first) return { error: t`The server could not be reached. Nothing was changed.`, fields: {} }
  const named: Record<string, string> = {}
  for (const { path, member, message } of fields) {
    const name = member ?? path.replace(/^input[.]/, '')
    const reason = isList ? sentence(message) : first.message
    // A document may have several faults: a line for each.
    named[name] = name in named && isList ? `${named[name]}\n${reason}` : reason
  }
  return { error: first.message, code: first.code, fields: named }
}

/** Returns the reason why a mutation was refused: that of one of the fields or a part of it, or else of the whole. */
export function reasonOf(result: Outcome<unknown>, ...fields: readonly string[]): string | undefined {
  if (result.error === undefined) return undefined
  const isOfField = (name: string) => fields.some((field) => name === field || name.startsWith(`${field}.`))
  return Object.entries(result.fields).find(([name]) => isOfField(name))?.[1] ?? summaryOf(result)
}

/** Returns why a mutation was refused, with the names of the fields that are invalid. */
export function summaryOf({ error, code, fields }: Extract<Outcome<unknown>, { error: string }>): string {
  if (code !== 'VALIDATION_ERROR') return error
  const reasons = Object.entries(fields).map(([field, reason]) => `${fieldWords(field)}: ${reason}`)
  return reasons.join(' ') || error
}
