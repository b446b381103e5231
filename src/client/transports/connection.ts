import { connectionLost, type GraphQLFormattedError, type SubscriptionError } from '../errors.ts'

/** A GraphQL operation to send. */
export interface Operation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** A result of an operation. */
export interface ExecutionResult {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly GraphQLFormattedError[]
}

/**
 * Receives each result of a connection, and its end once: without an error if the server completed the operation. Receives
 * nothing after the client closed the connection.
 */
export interface Listener {
  /** The server has accepted the key of the connection. */
  accept(): void
  result(result: ExecutionResult): void
  end(error?: SubscriptionError): void
}

/** Opens a connection for one operation. Returns a function that closes it. */
export type Connect = (operation: Operation, listener: Listener) => () => void

/** An API key or access token, or a function that returns the one for the next connection. */
export type ApiKey = string | (() => string | Promise<string>)

/** Returns the value of the `Authorization` header. */
export async function authorizationHeader(key: ApiKey): Promise<string> {
  return `Bearer ${typeof key === 'function' ? await key() : key}`
}

/** Time without any data, heartbeats and pongs included, after which a connection counts as lost. */
export const idleTimeoutMs = 45_000

/** The state of a connection, as its transport sees it. */
export interface Connection {
  isOpen(): boolean
  /** Restarts the idle timeout. A transport calls it for all received data, heartbeats included. */
  keepAlive(): void
  result(result: ExecutionResult): void
  /** Without an error if the server completed the operation. */
  end(error?: SubscriptionError): void
  close(): void
}

/**
 * Creates the state of a connection. It reports the end once, ends the connection after the idle timeout, and reports
 * nothing after `close`. `release` frees the resources of the transport.
 */
export function newConnection(listener: Listener, release: () => void): Connection {
  let isOpen = true
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  const connection: Connection = {
    isOpen: () => isOpen,
    keepAlive: () => {
      clearTimeout(idleTimer)
      const message = `No data was received for ${idleTimeoutMs / 1000} seconds.`
      if (isOpen) idleTimer = setTimeout(() => connection.end(connectionLost(message)), idleTimeoutMs)
    },
    result: (result) => {
      if (isOpen) listener.result(result)
    },
    end: (error) => {
      if (!isOpen) return
      connection.close()
      listener.end(error)
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      clearTimeout(idleTimer)
      release()
    },
  }
  connection.keepAlive()
  return connection
}

/** Returns the absolute URL with the scheme `http(s)` or `ws(s)`. Resolves a path against the page in a browser. */
export function resolveUrl(url: string | URL, scheme: 'http' | 'ws'): string {
  const { location } = globalThis as { location?: { href: string } }
  return new URL(url, location?.href).href.replace(/^(http|ws)(?=s?:)/, scheme)
}
