import {
  addressOf,
  authorizationOf,
  type Connect,
  type Key,
  lifeOf,
  type Operation,
  type Result,
} from './connection.ts'
import { faultsToError, lost, SubscriptionError } from './errors.ts'

/** An event of the stream, as server-sent events write it. */
export interface Frame {
  readonly event: string
  readonly data: string
}

/** Connections over HTTP: one request each, answered by server-sent events. */
export function overSse(options: { url: string | URL; key: Key; fetch?: typeof fetch }): Connect {
  const url = addressOf(options.url, 'http')
  const send = options.fetch ?? globalThis.fetch
  return (operation, listener) => {
    const abort = new AbortController()
    const life = lifeOf(listener, () => abort.abort())
    const read = async () => {
      const response = await send(url, {
        ...requestOf(operation, await authorizationOf(options.key)),
        signal: abort.signal,
      })
      life.heard()
      if (!response.body || !isStream(response)) return life.end(await answerToError(response, life.result))
      for await (const { event, data } of frames(response.body, life.heard)) {
        if (event === 'complete') break
        if (event === 'next') life.result(JSON.parse(data) as Result)
      }
      life.end(lost('The server ended the stream.'))
    }
    read().catch((cause) =>
      life.end(lost(`The request failed: ${cause instanceof Error ? cause.message : cause}.`, cause)),
    )
    return life.close
  }
}

function requestOf({ query, variables }: Operation, authorization: string) {
  return {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream, application/json;q=0.5' },
    body: JSON.stringify({ query, variables }),
    cache: 'no-store' as const,
  }
}

function isStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
}

/** An answer that is no stream: a result in one piece, a refusal in GraphQL's form, or whatever a proxy says. */
async function answerToError(response: Response, found: (result: Result) => void): Promise<SubscriptionError> {
  const text = await response.text()
  const answer = parsed(text)
  if (answer?.data && response.ok) found(answer)
  if (answer?.errors?.length) return faultsToError(answer.errors)
  const sentence = `The server answered ${response.status} ${response.statusText}`.trim()
  if (response.status === 401) return new SubscriptionError('UNAUTHORIZED', `${sentence}.`)
  if (response.status === 403) return new SubscriptionError('FORBIDDEN', `${sentence}.`)
  const isPassing = response.ok || response.status >= 500 || [408, 425, 429].includes(response.status)
  return isPassing ? lost(`${sentence}.`) : new SubscriptionError('BAD_REQUEST', `${sentence}.`)
}

function parsed(text: string): Result | undefined {
  try {
    return JSON.parse(text) as Result
  } catch {
    return undefined
  }
}

/** The frames of a body as they arrive; `heard` is called for each piece of it, heartbeats included. */
export async function* frames(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Frame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let event = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      rest += decoder.decode(value, { stream: true })
      // A carriage return at the end may be the first half of a line's end.
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line === '') {
          if (event !== '' || data.length > 0) yield { event: event || 'message', data: data.join('\n') }
          event = ''
          data = []
        }
        const [, name, text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
        if (name === 'event') event = text
        if (name === 'data') data.push(text)
      }
    }
  } finally {
    reader.releaseLock()
  }
}
