import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { judge, newProbe, type Probe, type StartedServer, secret, sendOrdinary, startHostile } from './frame.ts'

/**
 * A fault: a request to /block500 blocks the event loop for 500 ms of the processor. After a request to /slow200, the server is
 * blocked so again and again, with pauses that are shorter than any measurement, which would fall between two blocks otherwise.
 */
const faulty = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { subscribe } from 'node:diagnostics_channel'
    const block = (milliseconds) => {
      const used = () => Object.values(process.threadCpuUsage()).reduce((sum, each) => sum + each)
      const end = used() + milliseconds * 1_000
      while (used() < end);
    }
    const slow = (milliseconds) => {
      block(milliseconds)
      setTimeout(slow, 20, milliseconds).unref()
    }
    subscribe('http.server.request.start', ({ request }) => {
      const [, fault, milliseconds] = /^.(block|slow)(\\d+)/.exec(request.url) ?? []
      if (fault) (fault === 'slow' ? slow : block)(Number(milliseconds))
    })
  `)}`,
]

describe('the judgement of a hostile request', () => {
  let world: World
  let probe: Probe
  let server: StartedServer
  beforeAll(async () => {
    world = await newWorld({ server: await newServer({ SECRET: secret }), subdomain: 'hostile' })
    server = await startHostile(world, {}, faulty)
    probe = await newProbe()
  })
  afterAll(async () => {
    await probe?.end()
    server?.running.signal('SIGTERM')
    await server?.running.end
  })

  it.each([
    ['fast', ''],
    ['slow', '/slow200'],
  ])('finds a request that blocks a %s server, and no other one', { timeout: 480_000 }, async (_name, path) => {
    await server.ask(path)
    const { measure } = await probe.during(server, () => sendOrdinary(server))
    await judge(probe, server, (target) => target.ask('/livez'))
    await judge(probe, server, sendOrdinary)
    // Longer than any limit, and still so if the load of the machine changes between both measurements.
    const fault = Math.max(400, 10 * measure.longestMilliseconds)
    await expect(judge(probe, server, (target) => target.ask(`/block${fault}`))).rejects.toThrow(
      /^gaps in milliseconds|livez/,
    )
  })
})
