import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'
import { createSubscriber } from './reading.ts'
import { addVerifiedDomain, Send, useVerifyingServer } from './sender-domains.ts'
import { waitForStatus } from './sending.ts'

const newAccount = useVerifyingServer()
const day = 24 * 60 * 60 * 1000

describe('a campaign from an unverified domain', () => {
  it('can be drafted and scheduled, and ends in ERROR with SENDER_REJECTED when it is sent', async () => {
    const { world, sink } = await newAccount()
    await createSubscriber(world)
    const { id } = await world.campaign()
    const { campaignSend } = await world.run(Send, { id })
    expect(campaignSend.campaign).toEqual({ status: 'ERROR', errorCode: 'SENDER_REJECTED' })
    expect(sink.taken).toEqual([])
  })

  it('is refused with the reason, and left as it was, unless the outcome is asked for as a status', async () => {
    const { world } = await newAccount()
    await createSubscriber(world)
    const { id } = await world.campaign()
    const { extensions } = await world.fault(Send.replace(', errorAsStatus: true', ''), { id })
    expect(extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { 'input.id': [expect.stringMatching(/^fromEmail .*example.com is not verified/)] },
      fields: [
        {
          ...{ path: 'input.id', member: 'fromEmail', code: expect.any(String) },
          message: expect.stringContaining('is not verified'),
        },
      ],
    })
    expect((await world.run('query ($id: ID!) { campaign(id: $id) { status } }', { id })).campaign.status).toBe('DRAFT')
  })

  it('has the finding SENDER_UNVERIFIED until the domain is verified', async () => {
    const { world, records } = await newAccount()
    const { id } = await world.campaign()
    const check = async () =>
      (
        await world.run('query ($id: ID!) { campaignCheck(id: $id) { findings { code severity message field } } }', {
          id,
        })
      ).campaignCheck.findings
    expect(await check()).toContainEqual({
      code: 'SENDER_UNVERIFIED',
      severity: 'ERROR',
      message: expect.stringContaining('example.com is not verified'),
      field: 'FROM_EMAIL',
    })
    await addVerifiedDomain(world, records)
    expect(await check()).not.toContainEqual(expect.objectContaining({ code: 'SENDER_UNVERIFIED' }))
  })

  it('is sent once the domain is verified', async () => {
    const { world, sink, records } = await newAccount()
    await createSubscriber(world)
    const { id } = await world.campaign({ fromEmail: 'ada@News.Example.com' })
    expect((await world.run(Send, { id })).campaignSend.campaign.errorCode).toBe('SENDER_REJECTED')
    await addVerifiedDomain(world, records)
    expect((await world.run(Send, { id })).campaignSend.campaign.status).toBe('SENDING')
    await waitForStatus(world, id, 'SENT')
    expect(sink.taken).toHaveLength(1)
  })

  it('is not sent because another account has verified the domain, or because a domain ends alike', async () => {
    const { world, server, records } = await newAccount()
    await addVerifiedDomain(world, records)
    const other = await newWorld({ server })
    await createSubscriber(other)
    await createSubscriber(world)
    for (const [owner, fromEmail] of [
      [other, 'ada@example.com'],
      [world, 'ada@badexample.com'],
      [world, 'ada@com'],
    ] as const) {
      const { id } = await owner.campaign({ ...(fromEmail !== 'ada@com' && { fromEmail }) })
      if (fromEmail === 'ada@com') {
        await owner.rows("UPDATE email SET from_email = 'ada@com' WHERE account_id = $1", [owner.accountId])
      }
      expect((await owner.run(Send, { id })).campaignSend.campaign.errorCode).toBe('SENDER_REJECTED')
    }
  })

  it('stops with its open recipients kept if the domain is removed while it is sent', async () => {
    const { world, sink, records } = await newAccount()
    await addVerifiedDomain(world, records)
    await createSubscriber(world)
    const { id, databaseId } = await world.campaign()
    // The domain is removed in the moment at which the campaign is set on its way.
    await world.rows(
      `CREATE FUNCTION remove_domain() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN DELETE FROM sender_domain WHERE account_id = NEW.account_id; RETURN NEW; END $$;
       CREATE TRIGGER remove_domain AFTER INSERT ON mail_source FOR EACH ROW
         WHEN (NEW.account_id = ${world.accountId}) EXECUTE FUNCTION remove_domain()`,
    )
    await world.run(Send, { id })
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'SENDER_REJECTED' })
    const recipients = () =>
      world.rows<{ state: string }>('SELECT state, attempts, answer FROM mail_recipient WHERE campaign_id = $1', [
        databaseId,
      ])
    await until(async () => (await recipients())[0]?.state === 'QUEUED')
    expect(await recipients()).toEqual([
      { state: 'QUEUED', attempts: 0, answer: expect.stringContaining('example.com is not verified') },
    ])
    expect(sink.taken).toEqual([])
  })
})

describe('other mail from an unverified domain', () => {
  it('is refused as a test message, with the reason', async () => {
    const { world } = await newAccount()
    const { id } = await world.campaign()
    const test = `mutation ($id: ID!) {
      campaignTest(input: { id: $id, emails: ["ada@example.org"] }) { campaign { id } } }`
    expect((await world.fault(test, { id })).extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { 'input.id': [expect.stringMatching(/^fromEmail .*example.com is not verified/)] },
      fields: [
        {
          ...{ path: 'input.id', member: 'fromEmail', code: expect.any(String) },
          message: expect.stringContaining('is not verified'),
        },
      ],
    })
  })

  it('fails visibly in a sequence', async () => {
    const { world, sink, clock } = await newAccount()
    const contact = await createSubscriber(world)
    const sequence = await world.sequence()
    const { id } = await world.stage(sequence, { active: true })
    await world.run(
      `mutation ($id: ID!) { sequenceStageContentSet(
        input: { id: $id, html: "<p>Hello</p>", subject: "Hello", fromEmail: "ada@example.com" }) { stage { id } } }`,
      { id },
    )
    await world.subscribe(contact, sequence)
    clock.set(new Date(clock.now().getTime() + 2 * day))
    const failed = () =>
      world.rows("SELECT answer FROM mail_recipient WHERE account_id = $1 AND state = 'FAILED'", [world.accountId])
    await until(async () => (await failed()).length === 1)
    expect(await failed()).toEqual([{ answer: expect.stringContaining('example.com is not verified') }])
    expect(sink.taken).toEqual([])
  })
})
