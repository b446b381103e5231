// @module-tag rows
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newReceiver } from '../events/receiver.ts'
import { newSender, sendCampaign, waitForStatus } from '../mail/sending.ts'
import { newSink } from '../mail/sink.ts'
import { message } from '../mail/support.ts'
import { newEmptyDatabase } from '../support/database.ts'
import { newServer } from '../support/server.ts'
import { newWorld, worldOf } from '../support/world.ts'
import { temporaryFolder, until } from './process.ts'

const run = promisify(execFile)

/** Locations of PostgreSQL's programs: the PATH, and Debian's folders. */
function folders(): string[] {
  const versions = '/usr/lib/postgresql'
  const installed = (() => {
    try {
      return readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))
    } catch {
      return []
    }
  })()
  return ['', ...installed.map((version) => join(versions, version, 'bin/'))]
}

/** Returns the folder of a pg_dump that supports this major version, or undefined. */
async function programsFor(major: number): Promise<string | undefined> {
  for (const folder of folders()) {
    const found = await run(`${folder}pg_dump`, ['--version']).catch(() => undefined)
    const version = Number(/\(PostgreSQL\) (\d+)/.exec(found?.stdout ?? '')?.[1] ?? 0)
    if (version >= major) return folder
  }
  return undefined
}

describe('a dump of an external database', { timeout: 120_000 }, () => {
  it('restores what a server with the same SECRET needs into a new database', async ({ skip }) => {
    if (!process.env['TEST_DATABASE_URL']) skip('TEST_DATABASE_URL is not set: the embedded package has no pg_dump.')
    const receiver = await newReceiver()
    const world = await newWorld({ server: await newServer() })
    const [server] = await world.rows<{ major: number }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS major",
    )
    const programs = await programsFor(server?.major ?? 0)
    if (programs === undefined) return skip(`There is no pg_dump for PostgreSQL ${server?.major}.`)

    const tag = await world.tag('vip')
    const ada = await world.contact({ email: 'ada@people.example', emailMarketing: true, addTagIds: [tag.id] })
    const campaign = await world.campaign()
    await message(world, ada, { campaignId: campaign.databaseId, opened: true })
    const create = `mutation ($url: String!) { webhookCreate(input: { url: $url, events: [CONTACT_CREATED] }) {
      webhook { id } secret } }`
    const { webhook, secret } = (await world.run(create, { url: 'https://hook.example/' })).webhookCreate
    await world.rows('UPDATE webhook SET url = $2 WHERE account_id = $1', [world.accountId, receiver.url])
    await world.run(
      'mutation { dkimKeySet(input: { domain: "people.example", selector: "one" }) { dkimKey { domain } } }',
    )
    const Read = `{ contacts { nodes { id email tags { name } } } dkimKeys { domain selector }
      campaigns { nodes { name stats { sent opened } } } account { quota { contacts { used } } } }`
    const before = await world.run(Read)

    const file = join(await temporaryFolder(), 'campanile.dump')
    await run(`${programs}pg_dump`, ['--format=custom', '--no-owner', `--file=${file}`, world.server.databaseUrl])
    await world.contact({ email: 'later@people.example' })
    const databaseUrl = await newEmptyDatabase()
    await run(`${programs}pg_restore`, ['--no-owner', '--exit-on-error', `--dbname=${databaseUrl}`, file])

    const sink = await newSink()
    const restored = await newSender(sink.url, { DATABASE_URL: databaseUrl, WEBHOOK_ALLOW_PRIVATE: 'on' })
    const again = worldOf(restored, world.accountId, world.mainKey)
    expect(await again.run(Read)).toEqual(before)
    // Deliveries that were pending at the dump are sent now. They are signed, so the webhook's secret can be decrypted.
    const { databaseId } = await again.contact({ email: 'new@people.example' })
    expect(databaseId).toBeGreaterThan(ada.databaseId)
    const bodies = (await receiver.upTo(2)).map(({ headers, text }) => {
      const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
      return new Webhook(secret).verify(text, given)
    })
    expect(bodies).toMatchObject([
      { type: 'contact.created', data: { email: 'ada@people.example' } },
      { type: 'contact.created', data: { email: 'new@people.example' } },
    ])
    await until(async () => {
      const document = 'query ($id: ID!) { webhook(id: $id) { deliveries { nodes { status } } } }'
      const { deliveries } = (await again.run(document, { id: webhook.id })).webhook
      return deliveries.nodes.every(({ status }: { status: string }) => status === 'DELIVERED')
    })
    // The private key of DKIM can be decrypted, too.
    const { id } = await sendCampaign(again, { fromEmail: 'ada@people.example' })
    await waitForStatus(again, id, 'SENT')
    expect(sink.taken.map(({ to, raw }) => [to, /^dkim-signature:[\s\S]*d=people\.example/im.test(raw)])).toEqual([
      ['ada@people.example', true],
    ])
    expect(restored.errors).toEqual([])
  })
})
