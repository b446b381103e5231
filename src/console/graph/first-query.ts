import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type AnyVariables, type Client, createRequest } from 'urql'

/** The query of a screen with its variables. */
// biome-ignore lint/suspicious/noExplicitAny: a list of screens has no common type of its results
export type ScreenQuery = readonly [query: TypedDocumentNode<any, any>, variables: AnyVariables]

let started: number | undefined

/** Starts the query of the first screen. Its result is kept until the screen is rendered. */
export function startQuery(client: Client, [query, variables]: ScreenQuery): void {
  const request = createRequest(query, variables)
  started = request.key
  client.executeQuery(request).subscribe(() => undefined)
}

/** Whether a query was started before its screen, which then sends no second request. */
export function isStarted(...[query, variables]: ScreenQuery): boolean {
  return started !== undefined && createRequest(query, variables).key === started
}

/** Called when the first screen is left: another visit reads its data again. */
export function forgetStarted(): void {
  started = undefined
}
