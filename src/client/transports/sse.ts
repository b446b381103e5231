import { connectionLost, SubscriptionError, toSubscriptionError } from '../errors.ts'
import {
  type ApiKey,
  authorizationHeader,
  type Connect,
  type ExecutionResult,
  newConnection,
  type Operation,
  resolveUrl,
} from './connection.ts'

/** A server-sent event. */
export interface Frame {
  readonly event: string
  readonly data: string
}

/** Returns the transport over HTTP: each connection is a request whose response is a stream of server-sent events. */
export function sseTransport(options: { url: string | URL; key: ApiKey; fetch?: typeof fetch }): Connect {
  const url = resolveUrl(options.url, 'http')
  const send = options.fetch ?? globalThis.fetch
  return (operation, listener) => {
    const abort = new AbortController()
    const connection = newConnection(listener, () => abort.abort())
    const read = async () => {
      const response = await send(url, {
        ...toRequest(operation, await authorizationHeader(options.key)),
        signal: abort.signal,
      })
      connection.keepAlive()
      if (!response.body || !isEventStream(response))
        return connection.end(await readResponse(response, connection.result))
      listener.accept()
      for await (const { event, data } of readFrames(response.body, connection.keepAlive)) {
        if (event === 'complete') return connection.end()
        if (event === 'next') connection.result(JSON.parse(data) as ExecutionResult)
      }
      connection.end(connectionLost('The server ended the stream.'))
    }
    read().catch((cause) =>
      connection.end(connectionLost(`The request failed: ${cause instanceof Error ? cause.message : cause}.`, cause)),
    )
    return connection.close
  }
}

function toRequest({ query, variables }: Operation, authorization: string) {
  return {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream, application/json;q=0.5' },
    body: JSON.stringify({ query, variables }),
    cache: 'no-store' as const,
  }
}

function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')
}

/** Reads a response that is not a stream: a single result, a GraphQL error, or the response of a proxy. Returns the error. */
async function readResponse(
  response: Response,
  onResult: (result: ExecutionResult) => void,
): Promise<SubscriptionError> {
  const text = await response.text()
  const result = parseResult(text)
  if (result?.data && response.ok) onResult(result)
  if (result?.errors?.length) return toSubscriptionError(result.errors)
  const sentence = `The server returned ${response.status} ${response.statusText}`.trim()
  if (response.status === 401) return new SubscriptionError('UNAUTHORIZED', `${sentence}.`)
  if (response.status === 403) return new SubscriptionError('FORBIDDEN', `${sentence}.`)
  const isRetryable = response.ok || response.status >= 500 || [408, 425, 429].includes(response.status)
  return isRetryable ? connectionLost(`${sentence}.`) : new SubscriptionError('BAD_REQUEST', `${sentence}.`)
}

function parseResult(text: string): ExecutionResult | undefined {
  try {
    return JSON.parse(text) as ExecutionResult
  } catch {
    return undefined
  }
}

/** Yields the events of a response body. Calls `onData` for all received data, heartbeats included. */
export async function* readFrames(body: ReadableStream<Uint8Array>, onData: () => void): AsyncGenerator<Frame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let event = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onData()
      rest += decoder.decode(value, { stream: true })
      // A carriage return at the end may be the first half of a CRLF.
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
