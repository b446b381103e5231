import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import { errorResult } from '../execution/admission.ts'
import { budgetExhausted } from '../execution/budget.ts'
import { cursorExpired, type EndReason, type Stream } from '../streams/stream.ts'

/** Interval of comments that keep proxies from closing an idle stream, in milliseconds. */
const heartbeatIntervalMs = 15_000

/** How long a client that reads too slowly has to read the final events, in milliseconds. */
const slowClientTimeoutMs = 5_000

/**
 * Sends server-sent events in the protocol of graphql-sse (distinct connections mode): `next` with each result, and
 * `complete` at the end. The ID of each event is its cursor, which a client sends as `Last-Event-ID` to resume. Returns
 * after sending the headers. Reads the next message only after the client has read the previous ones.
 */
export function sendEvents(
  ctx: Context,
  headers: Readonly<Record<string, string>>,
  answer: Stream | ExecutionResult,
): void {
  ctx.respond = false
  const { res } = ctx
  res.writeHead(200, {
    ...headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache',
    // A connection that is kept alive would delay the shutdown of the server.
    Connection: 'close',
    // Keeps proxies from buffering events.
    'X-Accel-Buffering': 'no',
  })
  res.write(':\n\n')
  if (!(Symbol.asyncIterator in answer)) {
    res.end(`${formatNext(JSON.stringify(answer))}${completeEvent}`)
    return
  }
  const heartbeat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), heartbeatIntervalMs)
  answer.onEnd = (reason) => {
    res.end(finalEvents(reason, answer.resetSeconds))
    if (reason === 'slow') setTimeout(() => res.destroy(), slowClientTimeoutMs).unref()
  }
  res.on('close', () => {
    clearInterval(heartbeat)
    answer.return()
  })
  res.on('error', () => undefined)
  sendMessages(answer, ctx).catch(() => res.destroy())
}

async function sendMessages(stream: Stream, { res }: Context): Promise<void> {
  for await (const { text, cursor } of stream) {
    if (res.writableEnded || res.destroyed) return
    if (!res.write(`id: ${cursor}\n${formatNext(text)}`)) await waitForDrain(res)
  }
}

function waitForDrain(res: Context['res']): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}

const completeEvent = 'event: complete\ndata:\n\n'

function formatNext(text: string): string {
  return `event: next\ndata: ${text}\n\n`
}

/**
 * Returns the last events of a stream. None if the server stops or the access token has expired, so that the client reconnects:
 * after `complete`, or an error, it would end the subscription.
 */
function finalEvents(reason: EndReason, resetSeconds = 60): string {
  if (reason === 'completed') return completeEvent
  const refusal = reason === 'spent' ? budgetExhausted({ resetSeconds }) : refusals[reason]
  return refusal ? `${formatNext(JSON.stringify(refusal))}${completeEvent}` : ''
}

const refusals: Partial<Record<EndReason, ExecutionResult>> = {
  slow: errorResult('Events arrive faster than you read them. Subscribe again after your last cursor.', 'RATE_LIMITED'),
  revoked: errorResult('The API key is invalid or disabled.', 'UNAUTHORIZED'),
  expired: { errors: [cursorExpired()] },
}
