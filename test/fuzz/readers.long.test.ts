import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gapLimit, newProbe, type Probe, type StartedServer, secret, startHostile } from '../hostile/frame.ts'
import { startOptions } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newRandom, type Random } from './mutation.ts'
import { dsnKey, newReaders, type Reader } from './readers.ts'

// Sends changed requests to a server for FUZZ_SECONDS. The same FUZZ_SEED gives the same requests. A failure names the reader and
// the number of the request: FUZZ_READER and FUZZ_FROM begin there.

const env = process.env
const seed = Number(env['FUZZ_SEED'] ?? 20_261_126)
const seconds = Number(env['FUZZ_SECONDS'] ?? 80)
const first = Number(env['FUZZ_FROM'] ?? 0)
const names = ['HTTP', 'multipart', 'CSV', 'delivery status notification', 'form', 'GraphQL', 'page', 'token']
const chosen = names.filter((name) => env['FUZZ_READER'] === undefined || env['FUZZ_READER'] === name)

/** Requests that are sent at the same time, while the server is measured. */
const batch = 16
/** Memory of the server, in MB. */
const maxMemory = 600

let server: StartedServer
let probe: Probe
let readers: Reader[]
beforeAll(async () => {
  const world = await newWorld({ server: await newServer({ SECRET: secret }), subdomain: 'hostile' })
  const limits = { PUBLIC_RATE_PER_FORM: '1000000', COST_LIMIT_PER_MINUTE: '1000000000' }
  server = await startHostile(world, { BOUNCES_DSN_KEY: dsnKey, ...limits }, startOptions)
  readers = await newReaders(server)
  probe = await newProbe()
})
afterAll(async () => {
  await probe?.end()
  server?.running.signal('SIGTERM')
  await server?.running.end
})

/** Sends the bytes of a request in pieces, and returns the response. */
async function send(bytes: Buffer, random: Random, patience: number): Promise<string> {
  const socket = await server.open()
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk.slice(0, 4_000)
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const cuts = Array.from({ length: random.below(6) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b)
  let done = 0
  for (const cut of [...cuts, bytes.length]) {
    if (cut > done) socket.write(bytes.subarray(done, cut))
    done = cut
    await nextTurn()
  }
  // A request that was changed may be unfinished, or begin a stream.
  const timer = setTimeout(() => socket.destroy(), patience)
  if (random.below(4) === 0) socket.end()
  await Promise.race([closed, new Promise((resolve) => socket.once('data', () => setTimeout(resolve, 50)))])
  clearTimeout(timer)
  socket.destroy()
  return text
}

const memory = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.running.pid}/status`, 'utf8'))?.[1]) / 1_000
const errors = () =>
  server.running
    .stderr()
    .split('\n')
    .filter((line) => /"level":(?:[56]0|"(?:error|fatal)")/.test(line))

/** Sends requests by number while the server is measured, and returns what is wrong with the server. */
async function attempt(reader: Reader, inputs: readonly number[]): Promise<string | undefined> {
  const known = errors().length
  let fault: string | undefined
  const { measure } = await probe.during(server, async () => {
    await Promise.all(
      inputs.map(async (input) => {
        const random = newRandom(seed, reader.name, input)
        const bytes = await reader.request(random)
        const response = await send(bytes, random, reader.name === 'HTTP' ? 400 : 3_000)
        const status = /^HTTP\/1\.1 (5\d\d)/m.exec(response)?.[1]
        if ((status !== undefined && status !== '503') || /INTERNAL_SERVER_ERROR/.test(response))
          fault ??= `request ${input}: ${response.slice(0, 500)}\n${bytes.subarray(0, 1_500).toString('latin1')}`
      }),
    )
    return undefined
  })
  if (fault !== undefined) return fault
  if (measure.failures > 0) return `${measure.failures} answers of /livez failed`
  const gap = measure.longestMilliseconds
  if (gap > (await gapLimit(probe, server, gap))) return `the server was blocked for ${gap} ms`
  if (memory() > maxMemory) return `the server has ${memory()} MB`
  return errors()[known]
}

/** Finds the request of a batch that is the reason of a failure. A gap that does not repeat was noise. */
async function explain(reader: Reader, inputs: readonly number[], failure: string): Promise<string | undefined> {
  const place = (input: number | undefined) => `FUZZ_SEED=${seed} FUZZ_READER='${reader.name}' FUZZ_FROM=${input}`
  for (const input of inputs) {
    const own = (await attempt(reader, [input])) && (await attempt(reader, [input]))
    if (own === undefined) continue
    const bytes = await reader.request(newRandom(seed, reader.name, input))
    return `${place(input)}: ${own}\n${bytes.subarray(0, 2_000).toString('latin1')}`
  }
  return /blocked/.test(failure) && !(await attempt(reader, inputs)) ? undefined : `${place(inputs[0])}: ${failure}`
}

describe('changed requests', () => {
  it.each(chosen)(
    'to the reader of %s have no effect on others',
    { timeout: seconds * 1_000 + 300_000 },
    async (name) => {
      const reader = readers.find((each) => each.name === name) as Reader
      const end = performance.now() + (seconds * 1_000) / chosen.length
      const failures: string[] = []
      let from = first
      for (; performance.now() < end && failures.length < 3; from += batch) {
        const inputs = Array.from({ length: batch }, (_, place) => from + place)
        const failure = await attempt(reader, inputs)
        const found = failure === undefined ? undefined : await explain(reader, inputs, failure)
        if (found !== undefined) failures.push(found)
      }
      if (env['FUZZ_SECONDS'] !== undefined)
        process.stdout.write(`${name}: ${from - first} requests, ${Math.round(memory())} MB\n`)
      expect(failures).toEqual([])
      expect(from).toBeGreaterThan(first)
      const { status } = await server.ask('/v1/contacts')
      expect(status).toBe(200)
    },
  )
})
