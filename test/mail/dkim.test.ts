import { generateKeyPairSync } from 'node:crypto'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { createSubscriber, newMailWorld, type Received } from './reading.ts'

const KeySet = `mutation ($input: DkimKeySetInput!) { dkimKeySet(input: $input) {
  dkimKey { domain selector dnsName dnsValue createdAt } } }`
const KeyRemove = 'mutation ($input: DkimKeyRemoveInput!) { dkimKeyRemove(input: $input) { domain } }'
const Keys = '{ dkimKeys { domain selector dnsName dnsValue } }'

interface Key {
  domain: string
  selector: string
  dnsName: string
  dnsValue: string
}

async function set(world: World, input: Record<string, unknown>): Promise<Key> {
  return (await world.run(KeySet, { input })).dkimKeySet.dkimKey
}

/** What a receiver makes of the signatures of a message, when the DNS says what these keys say. */
async function verdicts({ raw }: Received, keys: readonly Key[]) {
  const records = new Map(keys.map(({ dnsName, dnsValue }) => [dnsName, dnsValue]))
  const resolver = async (name: string) => {
    const value = records.get(name)
    if (value === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' })
    return [[value]]
  }
  const { results } = await dkimVerify(raw, { resolver: resolver as never })
  return results
    .filter(({ signingDomain }) => signingDomain)
    .map(({ signingDomain, selector, status, signingHeaders }) => ({
      signingDomain,
      selector,
      result: status.result,
      headers: signingHeaders?.keys.split(':').map((name) => name.trim().toLowerCase()) ?? [],
    }))
}

const rsa = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()

describe('a DKIM key', () => {
  it('signs messages from its domain and subdomains, including the unsubscribe headers', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const key = await set(world, { domain: 'Example.com', selector: 'Mail2026', privateKey: rsa(2048) })
    expect(key).toMatchObject({
      domain: 'example.com',
      selector: 'mail2026',
      dnsName: 'mail2026._domainkey.example.com',
    })
    for (const fromEmail of ['ada@example.com', 'ada@news.EXAMPLE.com']) {
      const [received] = (await send({ html: '<p>Hello, Grüße</p>', subject: 'Grüße', fromEmail })) as [Received]
      const [verdict, ...more] = await verdicts(received, [key])
      expect(more).toEqual([])
      expect(verdict).toMatchObject({ signingDomain: 'example.com', selector: 'mail2026', result: 'pass' })
      expect(verdict?.headers).toEqual(
        expect.arrayContaining(['from', 'to', 'subject', 'message-id', 'list-unsubscribe', 'list-unsubscribe-post']),
      )
    }
    const [stranger] = (await send({ html: '<p>Hello</p>', fromEmail: 'ada@notexample.com' })) as [Received]
    expect(await verdicts(stranger, [key])).toEqual([])
  })

  it('signs in a way that a header that is added, removed or changed breaks', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const key = await set(world, { domain: 'example.com', selector: 's' })
    const [received] = (await send({
      html: `<p>Hello  \t there</p>\n\n${'x '.repeat(500)}`,
      fromEmail: 'ada@example.com',
    })) as [Received]
    const resultOf = async (change: (raw: string) => string) =>
      (await verdicts({ ...received, raw: change(received.raw) }, [key]))[0]?.result
    expect(await resultOf((raw) => raw)).toBe('pass')
    // Relays may fold lines in another way, and add blank lines at the end.
    expect(await resultOf((raw) => `${raw.replace(/^(Subject:) /m, '$1\r\n   ')}\r\n\r\n`)).toBe('pass')
    for (const name of ['From', 'To', 'Subject', 'Date', 'Reply-To', 'List-Unsubscribe']) {
      const added = `${name}: <https://attacker.example/>\r\n`
      expect([name, await resultOf((raw) => added + raw)]).not.toEqual([name, 'pass'])
      expect([name, await resultOf((raw) => raw.replace('\r\n\r\n', `\r\n${added}\r\n`))]).not.toEqual([name, 'pass'])
    }
    expect(await resultOf((raw) => raw.replace(/^List-Unsubscribe-Post: .*\r\n/m, ''))).not.toBe('pass')
    expect(await resultOf((raw) => raw.replace('Hello', 'Hallo'))).not.toBe('pass')
  })

  it('replaces the previous key when it is set, and signs nothing after it was removed', async () => {
    const { world, send } = await newMailWorld()
    await createSubscriber(world)
    const old = await set(world, { domain: 'example.com', selector: 'old' })
    const fresh = await set(world, { domain: 'example.com', selector: 'new' })
    expect(fresh.dnsValue).not.toBe(old.dnsValue)
    const [received] = (await send({ html: '<p>Hello</p>', fromEmail: 'ada@example.com' })) as [Received]
    expect(await verdicts(received, [fresh])).toMatchObject([{ selector: 'new', result: 'pass' }])
    await world.run(KeyRemove, { input: { domain: 'EXAMPLE.com' } })
    const [bare] = (await send({ html: '<p>Hello</p>', fromEmail: 'ada@example.com' })) as [Received]
    expect(await verdicts(bare, [fresh])).toEqual([])
    expect((await world.fault(KeyRemove, { input: { domain: 'example.com' } })).extensions.code).toBe('NOT_FOUND')
  })

  it('is stored encrypted', async () => {
    const world = await newWorld()
    const pem = rsa(2048)
    await set(world, { domain: 'example.com', selector: 's', privateKey: pem })
    const [row] = await world.rows<{ private_key: Buffer }>('SELECT private_key FROM dkim_key WHERE account_id = $1', [
      world.accountId,
    ])
    expect(row?.private_key.toString('latin1')).not.toContain('PRIVATE KEY')
    const { __type } = await world.run('{ __type(name: "DkimKey") { fields { name } } }')
    expect(__type.fields.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      ...['createdAt', 'databaseId', 'dnsName', 'dnsValue', 'domain', 'id', 'selector'],
    ])
  })

  it('is created if none is given, once per idempotency key', async () => {
    const world = await newWorld()
    const input = { domain: 'example.com', selector: 's', idempotencyKey: 'one' }
    const first = await set(world, input)
    expect(Buffer.from(first.dnsValue.slice('v=DKIM1; k=rsa; p='.length), 'base64').length).toBeGreaterThan(256)
    expect(await set(world, input)).toEqual(first)
    expect((await world.run(Keys)).dkimKeys).toEqual([
      { domain: first.domain, selector: first.selector, dnsName: first.dnsName, dnsValue: first.dnsValue },
    ])
  })

  it('returns VALIDATION_ERROR for keys that cannot sign', async () => {
    const world = await newWorld()
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
    const wrong: [string, Record<string, unknown>][] = [
      ['domain', { domain: 'localhost' }],
      ['domain', { domain: 'exa mple.com' }],
      ['domain', { domain: 'example.com; t=y' }],
      ['selector', { selector: 'a;b' }],
      ['selector', { selector: '' }],
      ['privateKey', { privateKey: 'not a key' }],
      ['privateKey', { privateKey: ec }],
      ['privateKey', { privateKey: rsa(512) }],
      ['privateKey', { privateKey: '\0' }],
    ]
    for (const [field, input] of wrong) {
      const { extensions } = await world.fault(KeySet, { input: { domain: 'example.com', selector: 's', ...input } })
      expect([extensions.code, Object.keys(extensions.details ?? {})]).toEqual(['VALIDATION_ERROR', [`input.${field}`]])
    }
    expect((await world.run(Keys)).dkimKeys).toEqual([])
  })

  it('is not visible to other accounts or without the scope', async () => {
    const world = await newWorld()
    await set(world, { domain: 'example.com', selector: 's' })
    const other = await world.other()
    expect((await other.run(Keys)).dkimKeys).toEqual([])
    expect((await other.fault(KeyRemove, { input: { domain: 'example.com' } })).extensions.code).toBe('NOT_FOUND')
    const key = await world.key({ scopes: ['mail:read'] })
    expect((await world.run(Keys, {}, { key })).dkimKeys).toHaveLength(1)
    const input = { domain: 'example.com', selector: 's' }
    expect((await world.fault(KeySet, { input }, { key })).extensions.code).toBe('FORBIDDEN')
    expect((await world.fault(Keys, {}, { key: await world.key({ scopes: ['mail:write'] }) })).extensions.code).toBe(
      'FORBIDDEN',
    )
  })
})
