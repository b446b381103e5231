import { beforeAll, describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { countRows } from '../support/count-rows.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { report, sentMessage } from './reporting.ts'
import { message } from './support.ts'

const key = 'a-key-of-sixteen-characters'
const proof = { authorization: `Bearer ${key}` }

let server: Server
beforeAll(async () => {
  server = await newServer({ BOUNCES_GENERIC_KEY: key })
})

const Losses = `{
  deliverability { sent bounced rejected complained bounceRate complaintRate bounces { cause count share } }
  account { bounces: series(figure: BOUNCES) { total } complaints: series(figure: COMPLAINTS) { total } sends: series(figure: SENDS) { total } } }`

describe('losses of mail', () => {
  it('are counted by cause, once for each message, as the series count them', async () => {
    const world = await newWorld({ server })
    const [gone, disabled, spam, fine] = await Promise.all([1, 2, 3, 4].map(() => sentMessage({ world })))
    await countRows(world, ['mail_recipient'])
    const reportOf = async (sent: typeof gone, type: string, detail: string) =>
      report(world, 'generic', { type, message_id: sent?.messageId, detail }, proof)
    for (const _ of [1, 2]) {
      await reportOf(gone, 'bounce', '550 5.1.1 no such user')
      await reportOf(disabled, 'bounce', '550 5.2.1 mailbox disabled')
      await reportOf(spam, 'complaint', 'abuse')
    }
    // A later report changes neither the time nor the cause of a bounce.
    await reportOf(gone, 'soft_bounce', '452 4.2.2 mailbox full')
    const { deliverability, account } = await world.run(Losses)
    expect(deliverability).toMatchObject({
      bounced: 2,
      rejected: 0,
      complained: 1,
      bounceRate: 0.5,
      complaintRate: 0.25,
    })
    expect(deliverability.bounces).toEqual([
      { cause: 'ADDRESS_UNKNOWN', count: 1, share: 0.5 },
      { cause: 'MAILBOX_DISABLED', count: 1, share: 0.5 },
    ])
    expect([account.bounces.total, account.complaints.total, account.sends.total]).toEqual(['2', '1', '4'])
    expect(fine).toBeDefined()
    expect(await checkFigures(server.system)).toEqual([])
  })

  it('are in the timeline and the suppression of the contact', async () => {
    const sent = await sentMessage({ world: await newWorld({ server }) })
    await report(sent.world, 'generic', { type: 'complaint', message_id: sent.messageId, detail: 'abuse' }, proof)
    const { contact } = await sent.world.run(
      `query ($ref: ContactRefInput!) { contact(ref: $ref) { suppression { reason } messages { nodes { complainedAt } }
        timeline(first: 10, types: [MESSAGE_COMPLAINED]) { nodes { type } } } }`,
      { ref: { id: sent.contact.id } },
    )
    expect(contact.suppression).toEqual({ reason: 'COMPLAINT' })
    expect(contact.messages.nodes[0].complainedAt).toEqual(expect.any(String))
    expect(contact.timeline.nodes).toEqual([{ type: 'MESSAGE_COMPLAINED' }])
  })
})

describe('the suppressions of contacts', () => {
  it('are read in as many statements for twenty contacts as for one', async () => {
    const world = await newWorld({ server })
    for (let n = 0; n < 20; n += 1) await world.contact()
    const count = (first: number) =>
      world.statements(() => world.run(`{ contacts(first: ${first}) { nodes { suppression { reason } } } }`))
    expect(await count(20)).toBe(await count(1))
  })
})

describe('the reason why a message is skipped', () => {
  it('is stored, and is a filter', async () => {
    const world = await newWorld({ server })
    const contact = await world.contact({ emailMarketing: true })
    await message(world, contact, { state: 'QUEUED' })
    await world.run('mutation ($input: ContactDeleteInput!) { contactDelete(input: $input) { deleted } }', {
      input: { contact: { id: contact.id } },
    })
    const rows = await world.rows('SELECT state::text, skip_reason::text FROM mail_recipient WHERE account_id = $1', [
      world.accountId,
    ])
    expect(rows).toEqual([{ state: 'SKIPPED', skip_reason: 'CONTACT_DELETED' }])
  })
})
