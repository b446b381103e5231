import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../runtime/process.ts'
import { newWorld } from '../support/world.ts'
import { countStates, createSubscribers, newSender, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

describe('a campaign that is sent', () => {
  it('sends one message to each recipient, and becomes SENT', async () => {
    const sink = await newSink()
    const world = await newWorld({ server: await newSender(sink.url) })
    await createSubscribers(world, 120)
    const { id, databaseId } = await sendCampaign(world)

    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({
      recipientsCount: 120,
      sentTo: 120,
      stats: { sent: 120 },
    })
    expect(new Set(sink.taken.map(({ to }) => to)).size).toBe(120)
    expect(sink.taken).toHaveLength(120)
    expect(sink.most()).toBeLessThanOrEqual(5)
    expect(await countStates(world, databaseId)).toEqual({ SENT: 120 })
    expect(await world.announced('email.sent')).toHaveLength(120)
    expect(await world.announced('campaign.sent')).toHaveLength(1)
    expect(world.server.errors).toEqual([])
  })

  it('writes files named after the Message-ID if no mail server is configured', async () => {
    const folder = await temporaryFolder()
    const world = await newWorld({ server: await newSender('', { DATA_DIR: folder }) })
    await createSubscribers(world, 3)
    const { id } = await sendCampaign(world)
    expect(await waitForStatus(world, id, 'SENT')).toMatchObject({ sentTo: 3 })
    const names = await readdir(join(folder, 'mail'))
    const letters = await Promise.all(
      names.map(async (name) => simpleParser(await readFile(join(folder, 'mail', name)))),
    )
    expect(letters.map(({ messageId }) => `${messageId?.replace(/[<>]/g, '')}.eml`).sort()).toEqual(names.sort())
    expect(letters.map(({ to }) => [to].flat()[0]?.text).sort()).toEqual([
      'c1@example.com',
      'c2@example.com',
      'c3@example.com',
    ])
    const metrics = await (await fetch(`${world.server.url}/metrics`)).text()
    expect(metrics).toContain('campanile_mail_messages{state="SENT"} 3')
    expect(metrics).toContain('campanile_mail_server_down{server="files"} 0')
  })
})
