import type { ExecutionResult } from 'graphql'
import { createClient } from 'graphql-ws'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { requireArgumentPaths } from './argument-paths.ts'
import type { Server } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a result
type Answer = ExecutionResult<any, any>

/** A WebSocket connection with the client of graphql-ws. */
export interface Socket {
  /** Runs one operation. Returns its errors in the result, and rejects if the socket is closed. */
  ask(query: string, variables?: Record<string, unknown>, extensions?: Record<string, unknown>): Promise<Answer>
  /** Resolves to the close code of the server. */
  readonly closed: Promise<number>
  /** Returns how often the socket was opened. */
  opened(): number
}

/** Opens a socket with a key or with connection parameters, and closes it at the end of the test. */
export function newSocket(
  server: Pick<Server, 'url'>,
  key: string | Record<string, unknown> | undefined,
  headers?: Readonly<Record<string, string>>,
): Socket {
  let opened = 0
  const { promise: closed, resolve } = Promise.withResolvers<number>()
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    connectionParams: typeof key === 'object' ? key : key === undefined ? {} : { authorization: `Bearer ${key}` },
    ...(headers && {
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, { headers })
        }
      },
    }),
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
            complete: () => {
              if (!answer) return reject(new Error('The operation ended without a result.'))
              requireArgumentPaths(query, answer.errors)
              resolve(answer)
            },
          },
        )
      }),
  }
}
