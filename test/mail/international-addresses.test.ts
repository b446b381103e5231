import { describe, expect, it, onTestFinished } from 'vitest'
import { smtpTransport } from '../../src/mail/delivery/transport/smtp-transport.ts'
import { newWorld, type World } from '../support/world.ts'
import { encoded } from './encoded.ts'
import { createSubscriber } from './reading.ts'
import { newRelay } from './relay.ts'
import { countStates, newSender, sendCampaign, waitForStatus } from './sending.ts'

const reason = 'the mail server does not support addresses with characters outside ASCII (SMTPUTF8)'

/** A server without SMTPUTF8, which keeps a list of the senders and recipients that it was asked for. */
async function newAsciiRelay(extension = '8BITMIME') {
  const senders: string[] = []
  const isAscii = (address: string) => (/^[\0-\x7f]*$/.test(address) ? undefined : '501 5.5.4 not ASCII')
  const relay = await newRelay({
    ehlo: () => `250-here\r\n250 ${extension}`,
    mail: (address) => {
      senders.push(address)
      return isAscii(address)
    },
    rcpt: isAscii,
  })
  return { relay, senders }
}

const messagesOf = async (world: World, id: string) =>
  (
    await world.run(
      'query ($id: ID!) { campaign(id: $id) { recipients { nodes { state answer attempts contact { email } } } } }',
      {
        id,
      },
    )
  ).campaign.recipients.nodes

describe('a mail server without SMTPUTF8', () => {
  it('is not asked for an address with a local part outside ASCII, which fails and is not suppressed', async () => {
    const { relay, senders } = await newAsciiRelay()
    const world = await newWorld({ server: await newSender(relay.url) })
    for (const email of ['jürgen@example.com', 'books@bücher.example', 'ada@example.com'])
      await createSubscriber(world, { email })
    const { id, databaseId } = await sendCampaign(world)
    await waitForStatus(world, id, 'SENT')
    expect(await countStates(world, databaseId)).toEqual({ SENT: 2, FAILED: 1 })
    expect(await messagesOf(world, id)).toContainEqual({
      state: 'FAILED',
      answer: reason,
      attempts: 1,
      contact: { email: 'jürgen@example.com' },
    })
    expect(relay.asked.toSorted()).toEqual(['ada@example.com', 'books@xn--bcher-kva.example'])
    expect(senders).toHaveLength(2)
    expect(await world.rows('SELECT FROM suppression WHERE account_id = $1', [world.accountId])).toEqual([])
    const TestSend = `mutation ($id: ID!) { campaignTest(input: { id: $id, emails: ["jürgen@example.com"] }) { results { answer } } }`
    const { extensions } = await world.fault(TestSend, { id })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.emails.0': [`was refused: ${reason}`] },
    })
  })

  it('is not paused by any number of such addresses', async () => {
    const { relay } = await newAsciiRelay('PIPELINING')
    const transport = smtpTransport(relay.url, 1)
    onTestFinished(() => transport.close(true))
    for (let index = 0; index < 50; index += 1)
      expect(await transport.send(encoded('jürgen@example.com'), 0)).toEqual({
        verdict: 'unsupported address',
        answer: reason,
      })
    expect(await transport.send(encoded('ada@example.com'), 0)).toMatchObject({ verdict: 'accepted' })
    expect(await transport.send({ ...encoded('ada@example.com'), from: 'jürgen@example.com' }, 0)).toEqual({
      verdict: 'bad sender',
      answer: reason,
    })
  })
})

it('a mail server with SMTPUTF8 gets the address, and only then the parameter', async () => {
  const commands: string[] = []
  const relay = await newRelay({
    ehlo: () => '250-here\r\n250 SMTPUTF8',
    mail: (address) => void commands.push(address),
  })
  const transport = smtpTransport(relay.url, 1)
  onTestFinished(() => transport.close(true))
  for (const to of ['jürgen@example.com', 'ada@example.com'])
    expect(await transport.send(encoded(to), 0)).toMatchObject({ verdict: 'accepted' })
  expect(relay.taken.map((address) => Buffer.from(address, 'latin1').toString())).toEqual([
    'jürgen@example.com',
    'ada@example.com',
  ])
})
