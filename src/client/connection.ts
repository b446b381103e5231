import { type Fault, lost, type SubscriptionError } from './errors.ts'

/** One operation as it is sent. */
export interface Operation {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** One result as it came. */
export interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly Fault[]
}

/** What a connection tells: each result, and its end, once. Nothing is told after the connection was closed from here. */
export interface Listener {
  result(result: Result): void
  end(error: SubscriptionError): void
}

/** Opens a connection for one operation; answers how to close it. */
export type Connect = (operation: Operation, listener: Listener) => () => void

/** An API key, or a function that gives the one to use for the next connection. */
export type Key = string | (() => string | Promise<string>)

/** What the key looks like on the way. */
export async function authorizationOf(key: Key): Promise<string> {
  return `Bearer ${typeof key === 'function' ? await key() : key}`
}

/** How long a connection may be silent, heartbeats and pongs included, before it counts as lost. */
export const silenceMs = 45_000

/** What a transport tells of its connection. */
export interface Life {
  isOpen(): boolean
  /** Something came, if only a heartbeat. */
  heard(): void
  result(result: Result): void
  end(error: SubscriptionError): void
  close(): void
}

/**
 * One connection's life. Its end is told once, silence is an end, and after it was closed from here nothing is told any
 * more. `release` gives back what the transport holds.
 */
export function lifeOf(listener: Listener, release: () => void): Life {
  let isOpen = true
  let silence: ReturnType<typeof setTimeout> | undefined
  const life: Life = {
    isOpen: () => isOpen,
    heard: () => {
      clearTimeout(silence)
      if (isOpen) silence = setTimeout(() => life.end(lost('The server fell silent.')), silenceMs)
    },
    result: (result) => {
      if (isOpen) listener.result(result)
    },
    end: (error) => {
      if (!isOpen) return
      life.close()
      listener.end(error)
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      clearTimeout(silence)
      release()
    },
  }
  life.heard()
  return life
}

/** The whole address under a scheme: `ws` for `http`, `wss` for `https`, and back. In a browser it may be given by its path. */
export function addressOf(url: string | URL, scheme: 'http' | 'ws'): string {
  const { location } = globalThis as { location?: { href: string } }
  return new URL(url, location?.href).href.replace(/^(http|ws)(?=s?:)/, scheme)
}
