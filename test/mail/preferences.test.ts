import { describe, expect, it } from 'vitest'
import { decide, newTopic } from '../contacts/topics.ts'
import { until } from '../runtime/process.ts'
import { createSubscriber, type MailWorld, newMailWorld, oneClickUrl, type Received } from './reading.ts'
import { sendCampaign } from './sending.ts'

const Contact = `query ($ref: ContactRefInput!) { contact(ref: $ref) { emailMarketing locale messageFrequency
  topics { topic { name } receives } consents { nodes { kind granted source text topic { name } } } } }`

async function delivered(input: Record<string, unknown> = {}, contact: Record<string, unknown> = {}) {
  const post = await newMailWorld()
  const who = await createSubscriber(post.world, { email: 'bob@example.com', ...contact })
  const [received] = (await post.send({ html: '<p>Hello</p>', ...input })) as [Received]
  return { ...post, who, url: oneClickUrl(received) }
}

async function stateOf({ world }: Pick<MailWorld, 'world'>, who: { id: string }) {
  return (await world.run(Contact, { ref: { id: who.id } })).contact
}

async function show(url: string) {
  const response = await fetch(url)
  return { status: response.status, html: await response.text() }
}

/** Sends a form as a browser does. */
async function submit(url: string, fields: Record<string, string | string[]>) {
  const body = new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) => [value].flat().map((v) => [name, v])),
  )
  const response = await fetch(url, { method: 'POST', body })
  return { status: response.status, html: await response.text() }
}

const oneClick = (url: string) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
const received = (contact: { topics: { topic: { name: string }; receives: boolean }[] }) =>
  contact.topics.filter(({ receives }) => receives).map(({ topic }) => topic.name)

describe('a message of a topic', () => {
  it('is sent only to contacts that get the topic, and its audience says why others are left out', async () => {
    const { world, sink } = await newMailWorld()
    const [news, offers] = [await newTopic(world), await newTopic(world, { audience: 'JOINED' })]
    const [ada, bob, eve] = [
      await createSubscriber(world, { email: 'ada@example.com' }),
      await createSubscriber(world, { email: 'bob@example.com' }),
      await world.contact({ email: 'eve@example.com' }),
    ]
    await decide(world, 'Leave', ada, news)
    for (const who of [bob, eve]) await decide(world, 'Join', who, offers)
    for (const topicId of [news.id, offers.id]) {
      const campaign = await sendCampaign(world, { topicId })
      await until(
        async () =>
          (await world.run('query ($id: ID!) { campaign(id: $id) { status } }', campaign)).campaign.status === 'SENT',
      )
      expect(sink.taken.map(({ to }) => to)).toEqual(['bob@example.com'])
      sink.reset({})
      const Left = `query ($id: ID!) { campaign(id: $id) { recipientsCount email { topic { id } }
        audience { total optIn leftOut { reason count } } } }`
      expect((await world.run(Left, campaign)).campaign).toEqual({
        ...{ recipientsCount: 1, email: { topic: { id: topicId } } },
        audience: {
          ...{ total: 3, optIn: 1 },
          leftOut: [
            { reason: 'NO_CONSENT', count: 1 },
            { reason: 'NOT_IN_TOPIC', count: 1 },
          ],
        },
      })
    }
  })

  it('is not sent to a contact that left the topic while it was in the queue', async () => {
    const { world, sink } = await newMailWorld()
    const topic = await newTopic(world)
    const who = await createSubscriber(world)
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true, timeValue: 0 })
    const SetContent =
      'mutation ($input: SequenceStageContentSetInput!) { sequenceStageContentSet(input: $input) { stage { email { topic { id } } } } }'
    const input = { id: stage.id, topicId: topic.id, fromEmail: 'ada@example.com' }
    expect((await world.run(SetContent, { input })).sequenceStageContentSet.stage.email.topic).toEqual({ id: topic.id })
    await decide(world, 'Leave', who, topic)
    await world.subscribe(who, sequence)
    const read = () =>
      world.rows<{ state: string; why: string }>(
        'SELECT state, skip_reason AS why FROM mail_recipient WHERE account_id = $1',
        [world.accountId],
      )
    await until(async () => (await read())[0]?.state === 'SKIPPED')
    expect(await read()).toEqual([{ state: 'SKIPPED', why: 'NOT_IN_TOPIC' }])
    expect(sink.taken).toEqual([])
    const Enrolments = 'query ($ref: ContactRefInput!) { contact(ref: $ref) { enrolments { nodes { state } } } }'
    // The sequence continues without the message.
    await until(async () => {
      const { contact } = await world.run(Enrolments, { ref: { id: who.id } })
      return contact.enrolments.nodes[0].state === 'COMPLETED'
    })
  })

  it('keeps its topic from being deleted, and archived topics cannot be named', async () => {
    const { world } = await newMailWorld()
    const [used, archived] = [await newTopic(world), await newTopic(world, { name: 'Old' })]
    const campaign = await world.campaign({ topicId: used.id })
    const Delete = 'mutation ($id: ID!) { topicDelete(input: { id: $id }) { deletedTopicId } }'
    expect((await world.fault(Delete, { id: used.id })).message).toMatch(/^An e-mail names the topic/)
    await world.run('mutation ($id: ID!) { topicArchive(input: { id: $id }) { topic { id } } }', { id: archived.id })
    const Update =
      'mutation ($input: CampaignUpdateInput!) { campaignUpdate(input: $input) { campaign { email { topic { id } } } } }'
    const set = (topicId: string) => ({ input: { id: campaign.id, topicId } })
    expect((await world.fault(Update, set(archived.id))).message).toBe('The topic “Old” is archived; restore it first.')
    expect((await world.fault(Update, set(campaign.id))).extensions.code).toBe('VALIDATION_ERROR')
    expect((await world.run(Update, set(''))).campaignUpdate.campaign.email.topic).toBeNull()
    await world.run(Delete, { id: used.id })
  })
})

describe('the preference page', () => {
  it('leaves the topic of its message by one click, and nothing else; later ones of it are not sent', async () => {
    const post = await newMailWorld()
    const [news] = [await newTopic(post.world, { name: 'News' }), await newTopic(post.world, { name: 'Offers' })]
    const who = await createSubscriber(post.world)
    const [message] = (await post.send({ html: '<p>x</p>', topicId: news?.id })) as [Received]
    const url = oneClickUrl(message)
    expect((await show(url)).html).toContain('Unsubscribe from “News”')
    for (const response of await Promise.all([oneClick(url), oneClick(url)])) expect(response.status).toBe(200)
    await oneClick(url)
    const contact = await stateOf(post, who)
    expect(contact).toMatchObject({ emailMarketing: true })
    expect(received(contact)).toEqual(['Offers'])
    expect(contact.consents.nodes.slice(0, -1)).toEqual([
      { kind: 'TOPIC', granted: false, source: 'list-unsubscribe', text: '', topic: { name: 'News' } },
    ])
    expect((await post.world.announced('contact.topic_left')).length).toBe(1)
    expect(await post.world.announced('contact.unsubscribed')).toEqual([])
    const { campaigns } = await post.world.run('{ campaigns { nodes { stats { unsubscribed } } } }')
    expect(campaigns.nodes).toEqual([{ stats: { unsubscribed: 1 } }])
  })

  it('means everything in a message whose topic was deleted, and in one without a topic', async () => {
    const post = await newMailWorld()
    const topic = await newTopic(post.world)
    const who = await createSubscriber(post.world)
    const [message] = (await post.send({ html: '<p>x</p>', topicId: topic.id })) as [Received]
    await post.world.rows('UPDATE email SET topic_id = NULL WHERE account_id = $1', [post.world.accountId])
    await post.world.run('mutation ($id: ID!) { topicDelete(input: { id: $id }) { deletedTopicId } }', { id: topic.id })
    await oneClick(oneClickUrl(message))
    expect((await stateOf(post, who)).emailMarketing).toBe(false)
  })

  it('shows public topics in the language of the contact, and saves topics, frequency and language', async () => {
    const post = await delivered({}, { locale: 'de-AT' })
    const { world, who, url } = post
    const translations = [{ language: 'de', name: 'Neuigkeiten', description: '' }]
    const [news, offers, secret] = [
      await newTopic(world, { name: 'News', translations }),
      await newTopic(world, { name: 'Offers <b>', audience: 'JOINED' }),
      await newTopic(world, { name: 'Secret', isPublic: false }),
    ]
    const { html } = await show(url)
    expect(html).toContain('Neuigkeiten')
    expect(html).toContain('Offers &#60;b&#62;')
    expect(html).not.toContain('Secret')
    expect(html).toContain('b***@example.com')
    const shown = [news, offers].map(({ databaseId }) => String(databaseId))
    const fields = { page: 'save', shown: [...shown, String(secret.databaseId)], frequency: 'WEEKLY', language: 'fr' }
    const saved = await submit(url, { ...fields, topic: String(offers.databaseId) })
    expect([saved.status, saved.html.includes('Vos préférences sont enregistrées.')]).toEqual([200, true])
    const contact = await stateOf(post, who)
    expect(contact).toMatchObject({ emailMarketing: true, locale: 'fr', messageFrequency: 'WEEKLY' })
    expect(received(contact)).toEqual(['Offers <b>', 'Secret'])
    expect(contact.consents.nodes.map(({ source }: { source: string }) => source)).toContain('preference-page')
    const again = await submit(url, { ...fields, topic: String(offers.databaseId) })
    expect(again.status).toBe(200)
    expect((await stateOf(post, who)).consents.nodes.length).toBe(contact.consents.nodes.length)
  })

  it('unsubscribes from everything, can be undone for a day, and asks why', async () => {
    const post = await delivered()
    const { world, who, url } = post
    const left = await submit(url, { page: 'all' })
    expect(left.html).toContain('is unsubscribed from all e-mail from')
    expect(left.html).toContain('value="undo"')
    expect((await submit(url, { page: 'reason', reason: 'TOO_MANY' })).html).toContain('Thank you for your answer.')
    expect((await submit(url, { page: 'reason', reason: 'NOT_RELEVANT' })).status).toBe(200)
    expect((await submit(url, { page: 'reason', reason: 'nonsense' })).status).toBe(200)
    const Reasons =
      '{ unsubscribeReasons { reason count } campaigns { nodes { unsubscribeReasons { reason count } } } }'
    const counts = [{ reason: 'NOT_RELEVANT', count: 1 }]
    expect(await world.run(Reasons)).toEqual({
      unsubscribeReasons: counts,
      campaigns: { nodes: [{ unsubscribeReasons: counts }] },
    })
    expect((await stateOf(post, who)).emailMarketing).toBe(false)
    await submit(url, { page: 'undo', topic: '' })
    const back = await stateOf(post, who)
    expect(back.emailMarketing).toBe(true)
    await submit(url, { page: 'yes' })
    const aDayAgo = "UPDATE contact_consent SET created_at = created_at - interval '25 hours' WHERE account_id = $1"
    await world.rows(aDayAgo, [world.accountId])
    expect((await show(url)).html).not.toContain('value="undo"')
    await submit(url, { page: 'undo', topic: '' })
    expect((await stateOf(post, who)).emailMarketing).toBe(false)
  })

  it('undoes no opt-out of another source, such as one of the account', async () => {
    const post = await delivered()
    const { world, who, url } = post
    await world.run(
      'mutation ($id: ID!) { contactUnsubscribe(input: { contact: { id: $id } }) { contact { id } } }',
      who,
    )
    expect((await show(url)).html).not.toContain('value="undo"')
    await submit(url, { page: 'undo', topic: '' })
    expect((await stateOf(post, who)).emailMarketing).toBe(false)
  })

  it('takes 200 decisions of a contact in a day, and every opt-out', async () => {
    const post = await delivered()
    const { world, who, url } = post
    const topic = await newTopic(world)
    await world.rows(
      `INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, created_at)
       SELECT $1, $2, 'TOPIC', true, 'preference-page', now() FROM generate_series(1, 200)`,
      [world.accountId, who.databaseId],
    )
    const save = { page: 'save', shown: String(topic.databaseId), frequency: 'ANY' }
    expect((await submit(url, save)).status).toBe(429)
    expect(received(await stateOf(post, who))).toEqual([topic.name])
    expect((await oneClick(url)).status).toBe(200)
    expect((await stateOf(post, who)).emailMarketing).toBe(false)
  })

  it('takes few changes of preferences in a minute, and every opt-out', async () => {
    const post = await delivered()
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => submit(post.url, { page: 'save', frequency: n % 2 ? 'ANY' : 'MONTHLY' })),
    )
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200, 429]))
    expect((await submit(post.url, { page: 'all' })).status).toBe(200)
    expect((await stateOf(post, post.who)).emailMarketing).toBe(false)
  })
})
