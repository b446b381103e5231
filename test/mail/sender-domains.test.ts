import { describe, expect, it } from 'vitest'
import { newTxtLookup } from '../../src/mail/index.ts'
import { newWorld, type World } from '../support/world.ts'
import {
  Add,
  addDomain,
  addVerifiedDomain,
  Domains,
  Remove,
  useVerifyingServer,
  Verify,
  verifyDomain,
} from './sender-domains.ts'

const newAccount = useVerifyingServer()

/** Returns the events of sender domains, oldest first. */
const announcedOf = async (world: World) =>
  (await world.announced('*')).flatMap(({ type }) => type.match(/^sender_domain[.](.*)/)?.[1] ?? [])

const day = 24 * 60 * 60 * 1000

describe('senderDomainVerify', () => {
  it('finds the verification record among others, in pieces, and says what is missing before', async () => {
    const { world, records } = await newAccount()
    const { records: wanted, ...added } = await addDomain(world, 'Example.COM')
    expect(added).toEqual({
      domain: 'example.com',
      status: 'PENDING',
      problem: '',
      verifiedAt: null,
      checkedAt: null,
    })
    expect(wanted).toEqual([
      {
        name: '_campanile.example.com',
        value: expect.stringMatching(/^campanile-verification=\w{32}$/),
        isFound: false,
      },
    ])
    expect(await verifyDomain(world)).toMatchObject({ status: 'PENDING', problem: 'The DNS record was not found.' })
    records.set(wanted[0].name, ['google-site-verification=x', wanted[0].value])
    expect(await verifyDomain(world)).toMatchObject({ status: 'VERIFIED', problem: '', records: [{ isFound: true }] })
    expect((await addDomain(world)).status).toBe('VERIFIED')
  })

  it("accepts the account's own DKIM record, and not another key's", async () => {
    const { world, records } = await newAccount()
    const set =
      'mutation { dkimKeySet(input: { domain: "example.com", selector: "s" }) { dkimKey { dnsName dnsValue } } }'
    const { dnsName, dnsValue } = (await world.run(set)).dkimKeySet.dkimKey
    await addDomain(world)
    records.set(dnsName, ['v=DKIM1; k=rsa; p=AAAA'])
    expect(await verifyDomain(world)).toMatchObject({ status: 'PENDING', problem: 'Neither DNS record was found.' })
    records.set(dnsName, [dnsValue.replace('; p', ';p')])
    expect(await verifyDomain(world)).toMatchObject({
      status: 'VERIFIED',
      records: [{ isFound: false }, { isFound: true }],
    })
  })

  it('changes no status while the DNS is silent', async () => {
    const { world, records, dns } = await newAccount()
    await addVerifiedDomain(world, records)
    dns.isSilent = true
    expect(await verifyDomain(world)).toMatchObject({
      status: 'VERIFIED',
      problem: 'The DNS did not answer. Try again later.',
    })
  })

  it('returns NOT_FOUND for a domain of another account, and so does senderDomainRemove', async () => {
    const { world, server, records } = await newAccount()
    await addVerifiedDomain(world, records)
    const other = await newWorld({ server })
    for (const document of [Verify, Remove]) {
      expect((await other.fault(document, { domain: 'example.com' })).extensions.code).toBe('NOT_FOUND')
    }
    expect((await other.run(Domains)).senderDomains).toEqual([])
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ domain: 'example.com', status: 'VERIFIED' }])
  })

  it('gives each account a record of its own', async () => {
    const { world, server, records } = await newAccount()
    await addVerifiedDomain(world, records)
    const other = await newWorld({ server })
    await addDomain(other)
    expect(await verifyDomain(other)).toMatchObject({ status: 'PENDING' })
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
    const { world } = await newAccount()
    expect((await world.fault(Add, { domain })).extensions.code).toBe('VALIDATION_ERROR')
  })

  it('takes at most 100 domains of an account', async () => {
    const { world } = await newAccount()
    await world.rows(
      `INSERT INTO sender_domain (account_id, domain, token, created_at)
       SELECT $1::int, n || '.example', 'x', now() FROM generate_series(1, 100) n`,
      [world.accountId],
    )
    expect((await world.fault(Add, { domain: 'example.com' })).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.domain': ['exceeds the maximum of 100 domains'] },
    })
    expect((await world.run(Domains)).senderDomains).toHaveLength(100)
  })
})

describe('the regular check', () => {
  it('verifies pending domains by itself', async () => {
    const { world, records, check } = await newAccount()
    const { name, value } = (await addDomain(world)).records[0]
    records.set(name, [value])
    await check()
    expect((await world.run(Domains)).senderDomains).toMatchObject([{ status: 'VERIFIED' }])
    expect(await announcedOf(world)).toEqual(['created', 'verified'])
  })

  it('withdraws a verification after the records have been absent for 7 days, and not before', async () => {
    const { world, records, check, clock, dns } = await newAccount()
    await addVerifiedDomain(world, records)
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
    // The check after 14 days found what the one after 8 days had found.
    expect(await announcedOf(world)).toEqual(['created', 'verified', ...Array(4).fill('updated'), 'failed'])
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
