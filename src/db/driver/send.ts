import type { Copied, CopyFormat } from './copy.ts'

/** Sends SQL with positional parameters to the server. */
export type Send = <Row>(text: string, values: unknown[]) => Promise<Row[]>

/** Sends SQL that evaluates a number of filters of a client, with a time limit for each of them. */
export type SendLimited = <Row>(text: string, values: unknown[], filters: number, areStored: boolean) => Promise<Row[]>

/** A statement of a group, and the functions that settle its promise. */
export interface Grouped {
  readonly text: string
  readonly values: unknown[]
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: Error) => void
}

/** Sends several statements on one connection. */
export type SendTogether = (group: readonly Grouped[]) => void

/** Sends SQL without waiting for its end. */
export type SendLater = (text: string, values: unknown[]) => void

/** A query to send with COPY. `text` has positional parameters, and `parts` is the text between the values. */
interface CopyQuery {
  readonly text: string
  readonly parts: readonly string[]
  readonly values: readonly unknown[]
  readonly format: CopyFormat
  readonly filters: number | undefined
}

/** Sends a query with COPY … TO STDOUT. */
export type SendCopy = (query: CopyQuery) => Promise<Copied>

/** Replaces the stack of an error of the driver, which does not contain the caller. */
export async function withCallerInStack<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}
