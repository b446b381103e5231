import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A received message. */
export interface Call {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a message's shape is what the tests are there to find out
  readonly body: any
}

/** An endpoint for webhooks. */
export interface Receiver {
  readonly url: string
  readonly calls: Call[]
  /** Waits until this number of messages was received and returns them. */
  upTo(count: number): Promise<Call[]>
}

/** How an endpoint responds to a message, counted from 0: with a status, or with any function. */
export type Behaviour = (index: number, call: Call) => number | ((response: ServerResponse) => void)

/** Opens an endpoint on this machine that responds with 200 by default. It is closed at the end of the test. */
export async function newReceiver(manner: Behaviour = () => 200): Promise<Receiver> {
  const receiver = await openReceiver(manner)
  onTestFinished(receiver.close)
  return receiver
}

/** Opens such an endpoint. The caller closes it. */
export async function openReceiver(manner: Behaviour = () => 200): Promise<Receiver & { close(): void }> {
  const calls: Call[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const { method, url: path, headers } = request
      const call: Call = { method, path, headers, text, body: text === '' ? undefined : JSON.parse(text) }
      const how = manner(calls.length, call)
      calls.push(call)
      if (typeof how === 'number') response.writeHead(how).end('an answer')
      else how(response)
      for (const look of [...waiting]) look()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    close: () => {
      server.closeAllConnections()
      server.close()
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    calls,
    upTo: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (calls.length < count) return
          waiting.delete(look)
          resolve(calls.slice(0, count))
        }
        waiting.add(look)
        look()
      }),
  }
}
