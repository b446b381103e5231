import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { checkDueSenderDomains, newTxtLookup } from '../../src/mail/index.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { reader } from './reading.ts'
import { reaches } from './sending.ts'
import { startSink } from './sink.ts'

const fields = 'domain status problem verifiedAt acceptedUntil checkedAt records { name value isFound }'
const Add = `mutation ($domain: String!) { senderDomainAdd(input: { domain: $domain }) { senderDomain { ${fields} } } }`
const Verify = `mutation ($domain: String!) {
  senderDomainVerify(input: { domain: $domain }) { senderDomain { ${fields} } } }`
const Remove = 'mutation ($domain: String!) { senderDomainRemove(input: { domain: $domain }) { domain } }'
const Domains = `{ senderDomains { ${fields} } }`
const Send = `mutation ($id: ID!) {
  campaignSend(input: { id: $id, audience: { sendToAll: true }, errorAsStatus: true }) {
    campaign { status errorCode } } }`
const day = 24 * 60 * 60 * 1000

/** A server that requires verification, with a DNS that says what the test wants, and a mail server. */
async function startOffice() {
  const sink = await startSink()
  const records = new Map<string, string[]>()
  const dns = { isSilent: false }
  const txtRecords = async (name: string) => {
    if (dns.isSilent) throw Object.assign(new Error('timeout'), { code: 'ETIMEOUT' })
    return records.get(name) ?? []
  }
  const clock = settableClock(new Date())
  const env = { ROLES: 'api,worker', MAIL_URL: sink.url, SENDERS: 'verified' }
  const server = await newServer(env, { txtRecords, clock })
  const check = () => checkDueSenderDomains({ ...server.system, senders: { requiresVerification: true, txtRecords } })
  return { server, sink, records, dns, clock, check }
}

let office: Awaited<ReturnType<typeof startOffice>>
beforeAll(async () => {
  office = await startOffice()
})
afterAll(() => office.sink.close())

/** A new account in the office, with an empty DNS and an empty sink. */
async function newOffice() {
  const { records, dns, clock, sink, server } = office
  records.clear()
  dns.isSilent = false
  clock.set(new Date())
  sink.taken.splice(0)
  return { ...office, world: await newWorld({ server }) }
}

async function add(world: World, domain = 'example.com') {
  const { senderDomain } = (await world.run(Add, { domain })).senderDomainAdd
  return senderDomain
}

async function verify(world: World, domain = 'example.com') {
  return (await world.run(Verify, { domain })).senderDomainVerify.senderDomain
}

async function addVerified(world: World, records: Map<string, string[]>, domain = 'example.com') {
  const { name, value } = (await add(world, domain)).records[0]
  records.set(name, ['v=spf1 -all', value])
  expect(await verify(world, domain)).toMatchObject({ status: 'VERIFIED', problem: '' })
}

describe('a campaign from an unverified domain', () => {
  it('can be drafted and scheduled, and ends in ERROR with SENDER_REJECTED when it is sent', async () => {
    const { world, sink } = await newOffice()
    await reader(world)
    const { id } = await world.campaign()
    const { campaignSend } = await world.run(Send, { id })
    expect(campaignSend.campaign).toEqual({ status: 'ERROR', errorCode: 'SENDER_REJECTED' })
    expect(sink.taken).toEqual([])
  })

  it('is refused with the reason, and left as it was, unless the outcome is asked for as a status', async () => {
    const { world } = await newOffice()
    await reader(world)
    const { id } = await world.campaign()
    const { extensions } = await world.fault(Send.replace(', errorAsStatus: true', ''), { id })
    expect(extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { fromEmail: [expect.stringContaining('example.com is not verified')] },
    })
    expect((await world.run('query ($id: ID!) { campaign(id: $id) { status } }', { id })).campaign.status).toBe('DRAFT')
  })

  it('is sent once the domain is verified', async () => {
    const { world, sink, records } = await newOffice()
    await reader(world)
    const { id } = await world.campaign({ fromEmail: 'ada@News.Example.com' })
    expect((await world.run(Send, { id })).campaignSend.campaign.errorCode).toBe('SENDER_REJECTED')
    await addVerified(world, records)
    expect((await world.run(Send, { id })).campaignSend.campaign.status).toBe('SENDING')
    await reaches(world, id, 'SENT')
    expect(sink.taken).toHaveLength(1)
  })

  it('is not sent because another account has verified the domain, or because a domain ends alike', async () => {
    const { world, server, records } = await newOffice()
    await addVerified(world, records)
    const other = await newWorld({ server })
    await reader(other)
    await reader(world)
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
    const { world, sink, records } = await newOffice()
    await addVerified(world, records)
    await reader(world)
    const { id, databaseId } = await world.campaign()
    // The domain is removed in the moment at which the campaign is set on its way.
    await world.rows(
      `CREATE FUNCTION remove_domain() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN DELETE FROM sender_domain WHERE account_id = NEW.account_id; RETURN NEW; END $$;
       CREATE TRIGGER remove_domain AFTER INSERT ON mail_source FOR EACH ROW
         WHEN (NEW.account_id = ${world.accountId}) EXECUTE FUNCTION remove_domain()`,
    )
    await world.run(Send, { id })
    expect(await reaches(world, id, 'ERROR')).toMatchObject({ errorCode: 'SENDER_REJECTED' })
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
    const { world } = await newOffice()
    const { id } = await world.campaign()
    const test = `mutation ($id: ID!) {
      campaignTest(input: { id: $id, email: "ada@example.org" }) { campaign { id } } }`
    expect((await world.fault(test, { id })).extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { fromEmail: [expect.stringContaining('example.com is not verified')] },
    })
  })

  it('fails visibly in a sequence', async () => {
    const { world, sink, clock } = await newOffice()
    const contact = await reader(world)
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

describe('senderDomainVerify', () => {
  it('finds the verification record among others, in pieces, and says what is missing before', async () => {
    const { world, records } = await newOffice()
    const { records: wanted, ...added } = await add(world, 'Example.COM')
    expect(added).toEqual({
      domain: 'example.com',
      status: 'PENDING',
      problem: '',
      verifiedAt: null,
      acceptedUntil: null,
      checkedAt: null,
    })
    expect(wanted).toEqual([
      {
        name: '_campanile.example.com',
        value: expect.stringMatching(/^campanile-verification=\w{32}$/),
        isFound: false,
      },
    ])
    expect(await verify(world)).toMatchObject({ status: 'PENDING', problem: 'The DNS record was not found.' })
    records.set(wanted[0].name, ['google-site-verification=x', wanted[0].value])
    expect(await verify(world)).toMatchObject({ status: 'VERIFIED', problem: '', records: [{ isFound: true }] })
    expect((await add(world)).status).toBe('VERIFIED')
  })

  it("accepts the account's own DKIM record, and not another key's", async () => {
    const { world, records } = await newOffice()
    const set =
      'mutation { dkimKeySet(input: { domain: "example.com", selector: "s" }) { dkimKey { dnsName dnsValue } } }'
    const { dnsName, dnsValue } = (await world.run(set)).dkimKeySet.dkimKey
    await add(world)
    records.set(dnsName, ['v=DKIM1; k=rsa; p=AAAA'])
    expect(await verify(world)).toMatchObject({ status: 'PENDING', problem: 'Neither DNS record was found.' })
    records.set(dnsName, [dnsValue.replace('; p', ';p')])
    expect(await verify(world)).toMatchObject({ status: 'VERIFIED', records: [{ isFound: false }, { isFound: true }] })
  })

  it('changes no status while the DNS is silent', async () => {
    const { world, records, dns } = await newOffice()
    await addVerified(world, records)
    dns.isSilent = true
    expect(await verify(world)).toMatchObject({
      status: 'VERIFIED',
      problem: 'The DNS did not answer. Try again later.',
    })
  })

  it('returns NOT_FOUND for a domain of another account, and so does senderDomainRemove', async () => {
    const { world, server, records } = await newOffice()
    await addVerified(world, records)
    const other = await newWorld({ server })
    for (const document of [Verify, Remove]) {
      expect((await other.fault(document, { domain: 'example.com' })).extensions.code).toBe('NOT_FOUND')
    }
    expect((await other.run(Domains)).senderDomains).toEqual([])
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ domain: 'example.com', status: 'VERIFIED' }])
  })

  it('gives each account a record of its own', async () => {
    const { world, server, records } = await newOffice()
    await addVerified(world, records)
    const other = await newWorld({ server })
    await add(other)
    expect(await verify(other)).toMatchObject({ status: 'PENDING' })
  })

  it.each([
    '',
    'localhost',
    'a b.example',
    '-a.example',
    `${'a'.repeat(64)}.example`,
    'ada@example.com',
    'x\0.example',
  ])('returns VALIDATION_ERROR for %j as a name', async (domain) => {
    const { world } = await newOffice()
    expect((await world.fault(Add, { domain })).extensions.code).toBe('VALIDATION_ERROR')
  })

  it('takes at most 100 domains of an account', async () => {
    const { world } = await newOffice()
    await world.rows(
      `INSERT INTO sender_domain (account_id, domain, token, created_at)
       SELECT $1::int, n || '.example', 'x', now() FROM generate_series(1, 100) n`,
      [world.accountId],
    )
    expect((await world.fault(Add, { domain: 'example.com' })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { domain: ['exceeds the maximum of 100 domains'] },
    })
    expect((await world.run(Domains)).senderDomains).toHaveLength(100)
  })
})

describe('the regular check', () => {
  it('verifies pending domains by itself', async () => {
    const { world, records, check } = await newOffice()
    const { name, value } = (await add(world)).records[0]
    records.set(name, [value])
    await check()
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ status: 'VERIFIED' }])
  })

  it('withdraws a verification after the records have been absent for 7 days, and not before', async () => {
    const { world, records, check, clock, dns } = await newOffice()
    await addVerified(world, records)
    const [start, kept] = [clock.now().getTime(), new Map(records)]
    const statusAfter = async (days: number) => {
      clock.set(new Date(start + days * day))
      await check()
      return (await world.run(Domains)).senderDomains[0].status
    }
    records.clear()
    expect(await statusAfter(2)).toBe('VERIFIED')
    dns.isSilent = true
    expect(await statusAfter(4)).toBe('VERIFIED')
    dns.isSilent = false
    for (const [name, values] of kept) records.set(name, values)
    expect(await statusAfter(6)).toBe('VERIFIED')
    records.clear()
    expect(await statusAfter(8)).toBe('VERIFIED')
    expect(await statusAfter(14)).toBe('VERIFIED')
    expect(await statusAfter(16)).toBe('PENDING')
  })

  it('accepts a domain from before for its time, and refuses it afterwards', async () => {
    const { world, clock } = await newOffice()
    await reader(world)
    await world.rows(
      `INSERT INTO sender_domain (account_id, domain, token, accepted_until, created_at)
       VALUES ($1, 'example.com', 'x', now() + interval '30 days', now())`,
      [world.accountId],
    )
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ status: 'ACCEPTED' }])
    const [first, second] = [await world.campaign(), await world.campaign()]
    expect((await world.run(Send, { id: first.id })).campaignSend.campaign.status).toBe('SENDING')
    await reaches(world, first.id, 'SENT')
    clock.set(new Date(clock.now().getTime() + 31 * day))
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ status: 'PENDING' }])
    expect((await world.run(Send, { id: second.id })).campaignSend.campaign.errorCode).toBe('SENDER_REJECTED')
  })
})

describe('newTxtLookup', () => {
  it('rejects within its time limit when the name server does not answer', async () => {
    const { createSocket } = await import('node:dgram')
    const silent = createSocket('udp4')
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
    try {
      const lookup = newTxtLookup({ timeout: 200, servers: [`127.0.0.1:${silent.address().port}`] })
      await expect(lookup('example.com')).rejects.toMatchObject({ code: 'ETIMEOUT' })
    } finally {
      silent.close()
    }
  })
})
