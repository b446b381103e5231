import { type Client, createClient } from 'graphql-ws'
import { onTestFinished } from 'vitest'
import { until } from '../runtime/process.ts'
import type { Server } from '../support/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = any

/** A subscription and its results so far. */
export interface Following {
  /** The payloads, oldest first. */
  readonly got: Answer[]
  /** Waits until this number of payloads was received and returns them. */
  upTo(count: number): Promise<Answer[]>
  /** Waits for a payload that matches. */
  find(fits: (payload: Answer) => boolean): Promise<Answer>
  /** How it ended: errors, the close code of a socket, or neither. */
  readonly end: Promise<{ errors?: Answer[]; code?: number }>
  stop(): void
}

/** Collects results, independent of the transport. */
export function newFollowing(
  start: (push: (payload: Answer) => void) => {
    end: Following['end']
    stop(): void
  },
): Following {
  const got: Answer[] = []
  const waiting = new Set<() => void>()
  const wait = (isThere: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isThere()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  const { end, stop } = start((payload) => {
    got.push(payload)
    for (const look of [...waiting]) look()
  })
  onTestFinished(stop)
  return {
    got,
    end,
    stop,
    upTo: async (count) => {
      await wait(() => got.length >= count)
      return got.slice(0, count)
    },
    find: async (fits) => {
      await wait(() => got.some(fits))
      return got.find(fits)
    },
  }
}

/**
 * Subscribes over a new socket, or over that of a client. Does not wait until the server has registered the subscription: pass
 * a cursor to receive all events of the test, or use `followEvents`.
 */
export async function follow(
  to: { server: Pick<Server, 'url'>; key: string; client?: Client },
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Following> {
  const client = to.client ?? newClient(to.server, to.key)
  const { promise: end, resolve } = Promise.withResolvers<Awaited<Following['end']>>()
  const following = newFollowing((push) => {
    const stop = client.subscribe(
      { query, variables },
      {
        next: push,
        error: (error) => {
          if (Array.isArray(error)) resolve({ errors: error })
          else resolve({ code: (error as { code?: number }).code ?? 0 })
        },
        complete: () => resolve({}),
      },
    )
    return {
      end,
      stop: () => {
        stop()
        if (!to.client) void client.dispose()
      },
    }
  })
  return following
}

/**
 * Follows a stream, and waits for its first element. A server in the process of the test refuses streams while the event loop is
 * late, and says to try again.
 */
export async function followed(...args: Parameters<typeof follow>): Promise<Following> {
  let following = await follow(...args)
  await until(async () => {
    const [first] = await following.upTo(1)
    if (first.errors?.[0].extensions.code !== 'UNAVAILABLE') return true
    following = await follow(...args)
    return false
  })
  return following
}

export function newClient({ url }: Pick<Server, 'url'>, key: string): Client {
  return createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${key}` },
    retryAttempts: 0,
  })
}

/** Subscribes by server-sent events. Resolves when the server has registered the subscription, and sent its headers. */
export async function followEvents(
  { server: { url }, key }: { server: Pick<Server, 'url'>; key: string },
  query: string,
  { variables = {}, headers = {} }: { variables?: Record<string, unknown>; headers?: Record<string, string> } = {},
): Promise<Following & { status: number; text: () => string }> {
  const abort = new AbortController()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: abort.signal,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  })
  let text = ''
  const following = newFollowing((push) => {
    const read = async () => {
      const decoder = new TextDecoder()
      let unread = ''
      for await (const chunk of response.body ?? []) {
        const part = decoder.decode(chunk, { stream: true })
        text += part
        unread += part
        const blocks = unread.split('\n\n')
        unread = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = /^event: next\ndata: (.*)$/m.exec(block)?.[1]
          if (data !== undefined) push({ ...JSON.parse(data), eventId: /^id: (.*)$/m.exec(block)?.[1] })
        }
      }
      return {}
    }
    return { end: read().catch(() => ({ code: 0 })), stop: () => abort.abort() }
  })
  return { ...following, status: response.status, text: () => text }
}
