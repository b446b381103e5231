import type { ExecutionResult } from 'graphql'
import { createClient } from 'graphql-ws'
import { onTestFinished } from 'vitest'
import type { Server } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = ExecutionResult<any, any>

/** A connection over WebSocket, held by the client that our own clients would use. */
export interface Socket {
  /** Runs one operation; errors of the operation are in the answer, a socket that is closed rejects. */
  ask(query: string, variables?: Record<string, unknown>, extensions?: Record<string, unknown>): Promise<Answer>
  /** With which code the server closed the socket. */
  readonly closed: Promise<number>
  /** How often it was opened so far. */
  opened(): number
}

/** Opens a socket with a key, or with whatever connection parameters are given; closed when the test is done. */
export function newSocket(server: Pick<Server, 'url'>, key: string | Record<string, unknown> | undefined): Socket {
  let opened = 0
  const { promise: closed, resolve } = Promise.withResolvers<number>()
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    connectionParams: typeof key === 'object' ? key : key === undefined ? {} : { authorization: `Bearer ${key}` },
    retryAttempts: 0,
    lazyCloseTimeout: 10_000,
    on: {
      opened: () => {
        opened += 1
      },
      closed: (event) => resolve((event as { code: number }).code),
    },
  })
  onTestFinished(async () => {
    await client.dispose()
  })
  return {
    closed,
    opened: () => opened,
    ask: (query, variables, extensions) =>
      new Promise((resolve, reject) => {
        let answer: Answer | undefined
        client.subscribe(
          { query, ...(variables && { variables }), ...(extensions && { extensions }) },
          {
            next: (value) => {
              answer = value as Answer
            },
            error: (error) => (Array.isArray(error) ? resolve({ errors: error }) : reject(error)),
            complete: () => (answer ? resolve(answer) : reject(new Error('The operation ended without an answer.'))),
          },
        )
      }),
  }
}
