import { afterAll, beforeAll, expect } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { checkDueSenderDomains } from '../../src/mail/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { startSink } from './sink.ts'

const fields = 'domain status problem verifiedAt checkedAt records { name value isFound }'
export const Add = `mutation ($domain: String!) {
  senderDomainAdd(input: { domain: $domain }) { senderDomain { ${fields} } } }`
export const Verify = `mutation ($domain: String!) {
  senderDomainVerify(input: { domain: $domain }) { senderDomain { ${fields} } } }`
export const Remove = 'mutation ($domain: String!) { senderDomainRemove(input: { domain: $domain }) { domain } }'
export const Domains = `{ senderDomains { ${fields} } }`
export const Send = `mutation ($id: ID!) {
  campaignSend(input: { id: $id, audience: { sendToAll: true }, errorAsStatus: true }) {
    campaign { status errorCode } } }`

/** Starts a server that requires verification, with a fake DNS and a mail server. */
async function startVerifyingServer() {
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
  const { services } = server.system
  const check = () =>
    checkDueSenderDomains({
      ...server.system,
      services: { ...services, mail: { ...services.mail, requiresVerifiedSenders: true, txtRecords } },
    })
  return { server, sink, records, dns, clock, check }
}

/**
 * Starts one such server for the calling test file. Returns a function that creates an account on it and resets the DNS,
 * the clock and the sink.
 */
export function useVerifyingServer() {
  let running: Awaited<ReturnType<typeof startVerifyingServer>>
  beforeAll(async () => {
    running = await startVerifyingServer()
  })
  afterAll(() => running.sink.close())
  return async () => {
    const { records, dns, clock, sink, server } = running
    records.clear()
    dns.isSilent = false
    clock.set(new Date())
    sink.taken.splice(0)
    return { ...running, world: await newWorld({ server }) }
  }
}

/** Adds a domain and returns it. */
export async function addDomain(world: World, domain = 'example.com') {
  return (await world.run(Add, { domain })).senderDomainAdd.senderDomain
}

/** Checks the records of a domain and returns the domain. */
export async function verifyDomain(world: World, domain = 'example.com') {
  return (await world.run(Verify, { domain })).senderDomainVerify.senderDomain
}

/** Adds a domain with its record and verifies it. */
export async function addVerifiedDomain(world: World, records: Map<string, string[]>, domain = 'example.com') {
  const { name, value } = (await addDomain(world, domain)).records[0]
  records.set(name, ['v=spf1 -all', value])
  expect(await verifyDomain(world, domain)).toMatchObject({ status: 'VERIFIED', problem: '' })
}
