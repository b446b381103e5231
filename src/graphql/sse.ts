import type { ExecutionResult } from 'graphql'
import type { Context } from 'koa'
import { budgetSpent } from './cost.ts'
import { bodyOf } from './door.ts'
import { cursorExpired, type Ending, type Stream, type Told } from './streams.ts'

/** How often a stream shows that it lives, so that no proxy in between takes it for dead. */
const heartbeatMilliseconds = 15_000

/**
 * Answers with server-sent events, by the protocol of graphql-sse (distinct connections): `next` with each result, and
 * `complete` at the end. Each event's id is its cursor, which a client that comes again sends as `Last-Event-ID`. Returns
 * when the answer has begun. Nothing is taken from the stream before the client has taken what was sent.
 */
export function answerEvents(ctx: Context, answer: Stream | ExecutionResult): void {
  ctx.respond = false
  const { res } = ctx
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-cache',
    // Kept alive after its end it would hold up a server that stops.
    Connection: 'close',
    // Or a proxy would keep back what is there until it is much.
    'X-Accel-Buffering': 'no',
  })
  res.write(':\n\n')
  if (!(Symbol.asyncIterator in answer)) {
    res.end(`${eventOf(JSON.stringify(answer))}${completed}`)
    return
  }
  const heartbeat = setInterval(() => res.writableNeedDrain || res.write(':\n\n'), heartbeatMilliseconds)
  answer.onEnd = (why) => {
    const last = parting(why, answer.resetSeconds)
    res.end(last)
    // Who does not read what was sent will not read this either.
    if (why === 'slow') setTimeout(() => res.destroy(), 5_000).unref()
  }
  res.on('close', () => {
    clearInterval(heartbeat)
    answer.return()
  })
  res.on('error', () => undefined)
  pass(answer, ctx).catch(() => res.destroy())
}

async function pass(stream: Stream, { res }: Context): Promise<void> {
  for await (const told of stream) {
    if (res.writableEnded || res.destroyed) return
    if (!res.write(toldAs(told))) await drained(res)
  }
}

function drained(res: Context['res']): Promise<void> {
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

const completed = 'event: complete\ndata:\n\n'

function toldAs({ text, cursor }: Told): string {
  return `id: ${cursor}\n${eventOf(text)}`
}

function eventOf(text: string): string {
  return `event: next\ndata: ${text}\n\n`
}

/** What the client hears last. When we stop it hears nothing, so that it comes again. */
function parting(why: Ending, resetSeconds = 60): string {
  const refusal = why === 'spent' ? budgetSpent({ resetSeconds }) : refusals[why]
  return refusal ? `${eventOf(JSON.stringify(refusal))}${completed}` : ''
}

const refusals: Partial<Record<Ending, ExecutionResult>> = {
  slow: bodyOf('Events come faster than you take them. Subscribe again after your last cursor.', 'RATE_LIMITED'),
  revoked: bodyOf('The API key is invalid or disabled.', 'UNAUTHORIZED'),
  expired: { errors: [cursorExpired()] },
}
