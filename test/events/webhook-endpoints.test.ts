import type { LookupAddress } from 'node:dns'
import { beforeAll, describe, expect, it } from 'vitest'
import { isPublic, newOutbound } from '../../src/events/outbound/endpoint-address.ts'
import type { Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import {
  Create,
  newManualClock,
  newSender,
  newWebhook,
  Test,
  Update,
  wakeSenders,
  whenWebhook,
} from './webhook-world.ts'

/** The DNS response of a name. A second query may get another one. */
const names = new Map<string, () => LookupAddress[]>()
const resolve = async (hostname: string) => {
  const answer = names.get(hostname)
  if (!answer) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
  return answer()
}
const v4 = (address: string): LookupAddress => ({ address, family: 4 })
const v6 = (address: string): LookupAddress => ({ address, family: 6 })

const clock = newManualClock()
let guarded: Server
let open: Server

beforeAll(async () => {
  guarded = await newSender({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'off' }, seams: { resolve, deliveries: {} } })
  open = await newSender({ seams: { resolve, deliveries: {} } })
})

const forbidden = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://１２７.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.0.0.192/',
  'http://192.168.1.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[2001:db8::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
]

const malformed = [
  '',
  'example.com',
  '/hook',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://',
  'http://exa mple.com/',
  ' http://example.com/',
  'http://example.com/\n',
  'http://ex\tample.com/',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://example.com/#part',
  'http://example.com/#',
  `http://example.com/${'x'.repeat(2_000)}`,
  `http://example.com/${'é'.repeat(400)}`,
  'http://example.com/\0',
  'http://example.com/\ud800',
  'http://256.256.256.256/',
  'http://[::1',
]

describe('the URL of a webhook', () => {
  it.each(forbidden)('returns VALIDATION_ERROR for an address that is not on the public Internet: %s', async (url) => {
    const world = await newWorld({ server: guarded })
    expect((await world.fault(Create, { input: { url } })).extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { 'input.url': ['must be an address on the public Internet'] },
      fields: [{ path: 'input.url', code: expect.any(String), message: 'must be an address on the public Internet' }],
    })
  })

  it.each(malformed)('returns VALIDATION_ERROR if no message can be sent to it: %j', async (url) => {
    for (const server of [guarded, open]) {
      const world = await newWorld({ server })
      expect((await world.fault(Create, { input: { url } })).extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.url': [expect.stringMatching(/^must /)] },
      })
    }
  })

  it('may be an address of this machine if the server is configured so', async () => {
    const world = await newWorld({ server: open })
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url)
    await world.run(Test, { id })
    await receiver.upTo(1)
  })

  it('is stored in a canonical form', async () => {
    const world = await newWorld({ server: open })
    const { url } = await newWebhook(world, 'HTTPS://EXAMPLE.com:443/a/../b?c=d e'.replace(' ', '%20'))
    expect(url).toBe('https://example.com/b?c=d%20e')
    const fault = await world.fault(Create, { input: { url: 'https://example.com/b?c=d%20e' } })
    expect(fault.extensions.code).toBe('WEBHOOK_EXISTS')
  })

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    'may be a public address: %s',
    (address) => expect(isPublic(address)).toBe(true),
  )

  it.each(['', 'localhost', '127.0.0.1', '::ffff:8.8.8.8', 'fe80::1%eth0', '2606:4700::1111%1'])(
    'may not be an invalid or special address: %j',
    (address) => expect(isPublic(address)).toBe(false),
  )
})

describe('the host name of a webhook', () => {
  it.each<[string, LookupAddress[]]>([
    ['resolves to this machine', [v4('127.0.0.1')]],
    ['has a private address among public ones', [v4('8.8.8.8'), v6('2606:4700::1111'), v4('10.0.0.1')]],
    ['has a private address in another notation', [v6('::ffff:10.0.0.1')]],
  ])('returns VALIDATION_ERROR if it %s', async (_what, addresses) => {
    names.set('bad.example', () => addresses)
    const world = await newWorld({ server: guarded })
    expect((await world.fault(Create, { input: { url: 'https://bad.example/' } })).extensions.details).toEqual({
      'input.url': ['must be an address on the public Internet'],
    })
    names.set('good.example', () => [v4('8.8.8.8')])
    const { id } = await newWebhook(world, 'https://good.example/')
    const change = await world.fault(Update, { input: { id, url: 'https://bad.example/' } })
    expect(change.extensions.code).toBe('VALIDATION_ERROR')
  })

  it('is accepted if it cannot be resolved yet', async () => {
    const world = await newWorld({ server: guarded })
    expect((await newWebhook(world, 'https://not-yet.example/')).url).toBe('https://not-yet.example/')
  })

  it('is checked at each attempt, and not called if it resolves to a private address by then', async () => {
    const receiver = await newReceiver()
    const { port } = new URL(receiver.url)
    const world = await newWorld({ server: guarded })
    names.set('turned.example', () => [v4('8.8.8.8')])
    const { id } = await newWebhook(world, `http://turned.example:${port}/`)
    names.set('turned.example', () => [v4('127.0.0.1')])
    await world.run(Test, { id })
    const refused = (count: number) =>
      whenWebhook(world, id, ({ deliveries: { nodes } }) => nodes[0].attempts === count && nodes[0].error !== null)
    expect((await refused(1)).deliveries.nodes).toMatchObject([
      { status: 'PENDING', responseStatus: null, error: 'The address is not on the public Internet.' },
    ])
    names.set('turned.example', () => [v4('8.8.8.8'), v6('::1')])
    clock.pass(60_000)
    await wakeSenders(guarded)
    await refused(2)
    expect(receiver.calls).toEqual([])
  })

  it('is resolved once per attempt, and the connection uses the checked address', async () => {
    const receiver = await newReceiver()
    const { port } = new URL(receiver.url)
    let asked = 0
    names.set('pinned.example', () => {
      asked += 1
      return [v4('127.0.0.1')]
    })
    const world = await newWorld({ server: open })
    const { id } = await newWebhook(world, `http://pinned.example:${port}/hook`)
    await world.run(Test, { id })
    const [call] = await receiver.upTo(1)
    expect(call?.headers.host).toBe(`pinned.example:${port}`)
    // One query when it was added, and one for its delivery.
    expect(asked).toBe(2)
  })

  it.each(['localhost', 'LOCALHOST.', 'a.localhost'])('is this machine for %s, without a DNS query', async (host) => {
    const { reach } = newOutbound({ allowPrivate: false })
    await expect(reach(new URL(`http://${host}/`))).rejects.toMatchObject({ name: 'ForbiddenAddress' })
  })
})
