import { describe, expect, it } from 'vitest'
import { mutationOf } from '../forms/documents.ts'
import { message } from '../mail/support.ts'
import { send } from '../rest/client.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld } from '../support/world.ts'
import {
  ada,
  createHistory,
  Delete,
  deleteContact,
  findPlaces,
  personalValues,
  readRestStatistics,
  Statistics,
} from './deletion.ts'

describe('contactDelete', () => {
  it('keeps all statistics of messages, forms and funnels, over GraphQL and REST', async () => {
    const all = await createHistory()
    const { world, person, ids } = all
    const [before, rest] = [await world.run(Statistics, ids), await readRestStatistics(all)]
    expect(before).toMatchObject({
      campaign: { sentTo: 2, stats: { sent: 2, opened: 2, clicked: 2 }, recipients: { totalCount: 2 } },
      deliverability: { sent: 3, opened: 3, clicked: 2 },
      mailReach: { reached: 2, openers: 2, clickers: 2 },
      sequence: { stats: { sent: 1, opened: 1 }, enrolments: { totalCount: 1 } },
      form: { submissionsCount: 1 },
      funnel: {
        source: { totals: { visitors: 2, views: 4, optIns: 1 }, groups: [{ value: 'news' }] },
        ad: { groups: [{ value: 'ad 7', figures: { visitors: 2, optIns: 1 } }] },
      },
    })
    await deleteContact(world, person)
    expect(await world.run(Statistics, ids)).toEqual(before)
    expect(await readRestStatistics(all)).toEqual(rest)
  })

  it('removes every personal value of the contact from all tables', async () => {
    const { world, person } = await createHistory({ server: await newServer() })
    expect((await findPlaces(world, personalValues)).length).toBeGreaterThan(8)
    await deleteContact(world, person)
    // The rows of the other contact are kept. Only this test lets them contain Ada's values.
    await world.rows('DELETE FROM mail_recipient WHERE account_id = $1 AND NOT is_redacted', [world.accountId])
    await world.rows("DELETE FROM visit WHERE account_id = $1 AND visitor_id = 'browser of another'", [world.accountId])
    await world.rows("DELETE FROM visitor WHERE account_id = $1 AND id = 'browser of another'", [world.accountId])
    expect(await findPlaces(world, personalValues)).toEqual([])
  })

  it('keeps rows with the ID of the contact, whose contact is null', async () => {
    const { world, person, other, submission, optIn, enrolment, form, campaign } = await createHistory()
    await deleteContact(world, person)
    const Read = `query ($submission: ID!, $optIn: ID!, $enrolment: ID!, $campaign: ID!) {
      submission(id: $submission) { status score bucket clientSubmissionId aiSummary typedFields { value } contact { id }
        attribution { key value } firstAttribution { key value } answers { label values score } }
      optIn: submission(id: $optIn) { status contact { id } attribution { key value } }
      enrolment: node(id: $enrolment) { ... on Enrolment { state anchorDate failure dueAt nextStage { id } contact { id } } }
      campaign(id: $campaign) { recipients { nodes { state answer sentAt openedAt contact { databaseId } } } } }`
    const ids = { submission: submission.id, optIn: optIn.id, enrolment: enrolment.id, campaign: campaign.id }
    const read = await world.run(Read, ids)
    const kept = [
      { key: 'UTM_SOURCE', value: 'news' },
      { key: 'UTM_CAMPAIGN', value: 'spring' },
      { key: 'AD_ID', value: 'ad 7' },
    ]
    expect(read.submission).toMatchObject({
      ...{ status: 'COMPLETED', clientSubmissionId: null, aiSummary: null, typedFields: [], contact: null },
      attribution: kept,
      answers: [
        { label: 'E-mail', values: [] },
        { label: 'Name', values: [] },
        { label: 'Tell us', values: [] },
        { label: 'Phone', values: [] },
        { label: 'Colour', values: ['blue'] },
        { label: 'Number', values: [] },
      ],
    })
    expect(read.optIn).toEqual({ status: 'COMPLETED', contact: null, attribution: kept })
    expect(read.enrolment).toEqual({
      ...{ state: 'ENDED', anchorDate: null, failure: null, dueAt: null, nextStage: null, contact: null },
    })
    expect(read.campaign.recipients.nodes).toEqual([
      { state: 'SENT', answer: null, sentAt: expect.any(String), openedAt: expect.any(String), contact: null },
      expect.objectContaining({ answer: expect.any(String), contact: { databaseId: other.databaseId } }),
    ])
    for (const table of ['mail_recipient', 'enrolment', 'submission', 'visit']) {
      const rows = await world.rows(`SELECT 1 FROM ${table} WHERE account_id = $1 AND contact_id = $2`, [
        ...[world.accountId, person.databaseId],
      ])
      expect([table, rows.length]).toEqual([table, 2 - Number(table === 'enrolment')])
    }
    const visitors = await world.rows<{ id: string }>('SELECT id FROM visitor WHERE account_id = $1', [world.accountId])
    expect(visitors).toEqual([{ id: 'browser of another' }])

    const get = async (path: string, query: Record<string, number>) =>
      (await send(world.server.url, 'GET', path, { query, key: world.mainKey })).body
    const [row] = (await get('/v1/form-submissions', { form_id: form.databaseId })).data
    expect(row).toMatchObject({ id: submission.databaseId, status: 'completed', contact: null })
    const detail = (await get('/v1/form-submission', { id: submission.databaseId })).data
    expect(detail.answers.map(({ answer }: { answer: unknown }) => answer)).toEqual(['', '', '', '', 'blue', ''])
    expect(detail).toMatchObject({
      contact: null,
      ai_summary: null,
      attribution: { utm_source: 'news', ad_id: 'ad 7' },
    })
  })

  it('removes the contact from every list, total and audience', async () => {
    const { world, person, sequence, campaign } = await createHistory()
    const tag = await world.tag()
    const Give = mutationOf('contactTagAdd', 'tag { id }')
    await world.run(Give, { input: { contact: { id: person.id }, tagId: tag.id } })
    const audience = {
      includeSequenceIds: [sequence.id],
      includeOpenedIds: [campaign.id],
      includeTagIds: [tag.id],
    }
    const Lists = `query ($sequence: ID!, $audience: AudienceListsInput!) {
      contacts { totalCount } sequence(id: $sequence) { activeContacts contacts { totalCount } }
      audience(lists: $audience) { total optIn } }`
    const lists = () => world.run(Lists, { sequence: sequence.id, audience })
    expect(await lists()).toEqual({
      contacts: { totalCount: 2 },
      sequence: { activeContacts: 1, contacts: { totalCount: 1 } },
      audience: { total: 2, optIn: 2 },
    })
    await deleteContact(world, person)
    expect(await lists()).toEqual({
      contacts: { totalCount: 1 },
      sequence: { activeContacts: 0, contacts: { totalCount: 0 } },
      audience: { total: 1, optIn: 1 },
    })
    const response = await send(world.server.url, 'GET', '/v1/sequences-contacts', {
      query: { sequence_id: sequence.databaseId },
      key: world.mainKey,
    })
    expect(response.body.data).toEqual([])
  })

  it('emits only contact.deleted, and a new contact with the address has no history', async () => {
    const { world, person } = await createHistory()
    const before = (await world.announced()).length
    await deleteContact(world, person)
    expect((await world.announced()).slice(before)).toEqual([
      { type: 'contact.deleted', data: { contactId: person.databaseId } },
    ])
    const again = await world.contact({ email: ada.email })
    expect(again.databaseId).not.toBe(person.databaseId)
    const Read = `query ($id: ID!) { contact(ref: { id: $id }) { stats { sent } submissions { totalCount }
      enrolments { totalCount } messages { totalCount } } }`
    expect((await world.run(Read, { id: again.id })).contact).toEqual({
      stats: { sent: 0 },
      submissions: { totalCount: 0 },
      enrolments: { totalCount: 0 },
      messages: { totalCount: 0 },
    })
  })

  it('causes no internal error if 50 clients delete one contact each concurrently', async () => {
    const world = await newWorld()
    const [sequence, form, campaign] = [await world.sequence(), await world.form(), await world.campaign()]
    await world.stage(sequence, { active: true })
    const people: Named[] = []
    for (let n = 0; n < 50; n += 1)
      people.push(await world.contact({ emailMarketing: true, addSequenceIds: [sequence.id] }))
    for (const person of people) {
      await message(world, person, { campaignId: campaign.databaseId, sent: false })
      await world.submission(form, { contact: { id: person.id } })
    }
    const responses = await Promise.all(people.map(({ id }) => world.ask(Delete, { id })))
    expect(responses.flatMap(({ body }) => body.errors ?? [])).toEqual([])
    expect(world.server.errors).toEqual([])
    const states = await world.rows(
      'SELECT state, count(*)::int AS n FROM mail_recipient WHERE account_id = $1 GROUP BY 1',
      [world.accountId],
    )
    expect(states).toEqual([{ state: 'SKIPPED', n: 50 }])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
  })
})
