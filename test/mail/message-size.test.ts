import { describe, expect, it } from 'vitest'
import { until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { worker } from './crash.ts'
import { createSubscriber, newMailWorld, ownUrls } from './reading.ts'
import { createSubscribers, hurry, readCampaign, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

const SetContent = `mutation ($input: CampaignContentSetInput!) {
  campaignContentSet(input: $input) { campaign { email { renderError } } } }`
const SetField = 'mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { contact { id } } }'
const Send = `mutation ($id: ID!) {
  campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { status } } }`
const Preview = `query ($id: ID!, $contactId: ID) {
  campaign(id: $id) { email { preview(contactId: $contactId) { subject } } } }`

/** A text within all limits, which becomes 180 MB for a contact whose value of the field is long. */
const amplifying = 'https://example.com/?q={{FIELD.Q}} '.repeat(20_000)
const tooLong = 'The message would have more than 2000000 bytes.'

/** Creates contacts whose value of the field `Q` is as long as possible, and has nine times as many bytes in a URL. */
async function createLongValues(world: World, n: number): Promise<{ id: string }[]> {
  const field = await world.customField({ name: 'Q' })
  const contacts: { id: string }[] = []
  for (let index = 0; index < n; index += 1) {
    const contact = await createSubscriber(world)
    await world.run(SetField, {
      input: { contact: { id: contact.id }, customFieldId: field.id, value: '€'.repeat(1_000) },
    })
    contacts.push(contact)
  }
  return contacts
}

const answers = (world: World) =>
  world.rows('SELECT DISTINCT state, answer FROM mail_recipient WHERE account_id = $1', [world.accountId])

describe('a message', () => {
  it('of more than 2 MB with its values is not sent, and the other messages are', async () => {
    const { world, sink } = await newMailWorld()
    const [contact] = await createLongValues(world, 12)
    await createSubscriber(world, { email: 'short@example.com' })
    const campaign = await world.campaign({ fromEmail: 'ada@example.com' })
    await world.run(SetContent, { input: { id: campaign.id, html: '<p>Hello</p>', text: amplifying } })
    await world.run(Send, { id: campaign.id })
    await waitForStatus(world, campaign.id, 'SENT')
    expect(sink.taken.map(({ to }) => to)).toEqual(['short@example.com'])
    expect(await answers(world)).toEqual(
      expect.arrayContaining([{ state: 'FAILED', answer: tooLong }, expect.objectContaining({ state: 'SENT' })]),
    )
    const { message } = await world.fault(Preview, { id: campaign.id, contactId: contact?.id })
    expect(message).toContain(tooLong)
  })

  it('is not sent if its subject is too long with its values', async () => {
    const { world, sink } = await newMailWorld()
    await createLongValues(world, 1)
    const { id } = await sendCampaign(world, { subject: '{{FIELD.Q}}'.repeat(60) })
    await waitForStatus(world, id, 'SENT')
    expect(sink.taken).toEqual([])
    expect(await answers(world)).toEqual([
      { state: 'FAILED', answer: 'The subject of the message would have more than 4000 bytes.' },
    ])
  })

  it('is refused when its body is set if the body alone is too large', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    const { extensions } = await world.fault(SetContent, {
      input: { id, html: `${'€'.repeat(210_000)}${'<hr>'.repeat(18_000)}` },
    })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.html': ['must have at most 2000000 bytes together with its plain-text version'] },
    })
  })

  it('redirects a tracked link without its values if they would make it too long', async () => {
    const { world, send } = await newMailWorld()
    await createLongValues(world, 1)
    const url = `https://example.com/?${'q={{FIELD.Q}}&'.repeat(200)}`
    const [letter] = await send({ html: `<a href="${url}">x</a>` })
    const [link = ''] = ownUrls(letter as never, '/t/c/')
    const { headers } = await fetch(link, { redirect: 'manual' })
    expect(headers.get('location')).toBe(`https://example.com/?${'q=&'.repeat(200)}`)
  })

  it('is shown as a page without its plain text', async () => {
    const { world, send } = await newMailWorld()
    const [contact] = await createLongValues(world, 1)
    const [letter] = await send({ html: '<p>{{FIELD.R}} <a href="{{VIEW_URL}}">view</a></p>', text: '{{FIELD.R}}' })
    const { rows } = world
    await rows(`UPDATE document SET body = $2 WHERE account_id = $1 AND content_type LIKE 'text/plain%'`, [
      world.accountId,
      Buffer.from(amplifying),
    ])
    await rows('UPDATE email SET updated_at = now() WHERE account_id = $1', [world.accountId])
    const [page = ''] = ownUrls(letter as never, '/t/v/')
    const response = await fetch(page)
    expect([contact !== undefined, response.status, await response.text()]).toEqual([
      true,
      200,
      expect.stringContaining('view'),
    ])
  })
})

describe('a process that ends while it renders', { timeout: 120_000 }, () => {
  it('renders an e-mail once more; after the second time its campaign stops with the reason, and no other', async () => {
    const sink = await newSink()
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 50)
    const campaign = await world.campaign({ fromEmail: 'ada@example.com' })
    const html = '<p>{{EMAIL}} and so on and so on</p>'.repeat(15_000)
    await world.run(SetContent, { input: { id: campaign.id, html } })
    await world.run(Send, { id: campaign.id })
    for (const _time of [1, 2]) {
      const running = await worker(world, sink)
      await until(async () => {
        const marks = "SELECT 1 FROM mail_worker WHERE rendering <> '[]' AND seen_at > now() - interval '20 seconds'"
        return (await world.rows(marks)).length > 0
      })
      running.signal('SIGKILL')
      await running.end
      expect(await readCampaign(world, campaign.id)).toMatchObject({ status: 'SENDING' })
      await ageHeartbeats(world)
    }
    const other = await world.other()
    await createSubscribers(other, 2)
    const harmless = await sendCampaign(other)
    await worker(world, sink)
    expect(await waitForStatus(world, campaign.id, 'ERROR')).toMatchObject({ errorCode: 'TEMPLATE_ERROR' })
    await waitForStatus(other, harmless.id, 'SENT')
    const { email } = (await world.run('query ($id: ID!) { campaign(id: $id) { email { renderError } } }', campaign))
      .campaign
    expect(email.renderError).toBe(
      'The process that rendered the e-mail ended twice, so its content may take too much memory.',
    )

    await world.run(SetContent, { input: { id: campaign.id, html: '<p>Mended</p>' } })
    await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', campaign)
    await hurry(world)
    await waitForStatus(world, campaign.id, 'SENT')
  })
})
