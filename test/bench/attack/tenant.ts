// The steady load of a tenant, in a process of its own: a query or a REST page at fixed times, whatever the previous ones took.
import { Agent, request } from 'node:http'

/** A request that has ended. */
export interface Sample {
  /** Time at which it was due, in milliseconds since 1970. */
  readonly at: number
  /** Until its response was complete. */
  readonly milliseconds: number
  /** 0 if there was no response. */
  readonly status: number
}

const [url = '', key = '', perSecond = '8'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })
const body = JSON.stringify({ query: '{ contacts(first: 20) { nodes { email tags { name } } } }' })
let count = 0

function ask(): void {
  const at = Date.now()
  const began = performance.now()
  const isQuery = count % 2 === 0
  count += 1
  const done = (status: number) =>
    process.send?.({ at, milliseconds: performance.now() - began, status } satisfies Sample)
  const sent = request(
    `${url}${isQuery ? '/graphql' : '/v1/contacts?limit=20'}`,
    {
      ...{ agent, timeout: 20_000, method: isQuery ? 'POST' : 'GET' },
      headers: { authorization: `Bearer ${key}`, ...(isQuery && { 'content-type': 'application/json' }) },
    },
    (response) => response.resume().on('end', () => done(response.statusCode ?? 0)),
  )
  sent.on('timeout', () => sent.destroy()).on('error', () => done(0))
  sent.end(isQuery ? body : undefined)
}

setInterval(ask, 1_000 / Number(perSecond))
process.on('disconnect', () => process.exit())
