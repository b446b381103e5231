// @module-tag rows
import { describe, expect, it } from 'vitest'
import { addContacts, Bulk, Cancel, ReadJob, runBulk, startBulk, waitForBulk } from './bulk.ts'
import { useImportServer } from './imports.ts'

const open = useImportServer()
const people = 12
const inParis = { filter: { city: { eq: 'paris' } } }

/** Creates an account with contacts, of whom the half lives in Paris. */
async function newTown() {
  const world = await open()
  await addContacts(world, people)
  const { nodes } = (
    await world.run('{ contacts(first: 100, filter: { city: { eq: "Paris" } }) { nodes { id databaseId email } } }')
  ).contacts
  return { world, parisians: nodes as { id: string; databaseId: number; email: string }[] }
}

const idsOf = (contacts: readonly { databaseId: number }[]) =>
  contacts.map(({ databaseId }) => databaseId).sort((a, b) => a - b)

describe('contactsBulk', () => {
  it('adds tags to the contacts that match, once', async () => {
    const { world, parisians } = await newTown()
    const tag = await world.tag()
    const created = await startBulk(world, inParis, { addTagIds: [tag.id] })
    expect(created).toMatchObject({
      status: 'RUNNING',
      action: 'ADD_TAGS',
      total: null,
      done: 0,
      filter: inParis.filter,
    })
    const end = await waitForBulk(world, created.id)
    expect(end).toMatchObject({ status: 'COMPLETED', total: 6, done: 6, changed: 6, skipped: 0, failed: 0, error: '' })
    expect(end.finishedAt).not.toBeNull()
    const added = (await world.announced('contact.tag_added')).map(({ data }) => data)
    expect(idsOf(added.map(({ contactId }) => ({ databaseId: contactId as number })))).toEqual(idsOf(parisians))
    expect(await runBulk(world, { all: true }, { addTagIds: [tag.databaseId] })).toMatchObject({
      ...{ total: people, changed: 6, skipped: 6 },
    })
    expect(await world.announced('contact.tag_added')).toHaveLength(people)
  })

  it('removes tags', async () => {
    const { world, parisians } = await newTown()
    const [tag, other] = [await world.tag(), await world.tag()]
    await runBulk(world, { all: true }, { addTagIds: [tag.id, other.id] })
    expect(await runBulk(world, inParis, { removeTagIds: [tag.id] })).toMatchObject({ changed: 6 })
    const { contacts } = await world.run(
      'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }',
      {
        filter: { tags: { all: [tag.id, other.id] } },
      },
    )
    expect(contacts.totalCount).toBe(people - parisians.length)
    const removed = await world.announced('contact.tag_removed')
    expect(removed.map(({ data }) => data['tagId'])).toEqual(parisians.map(() => tag.databaseId))
  })

  it('enrols contacts in a sequence and removes them', async () => {
    const { world, parisians } = await newTown()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.subscribe(parisians[0] as { id: string }, sequence)
    expect(await runBulk(world, inParis, { addSequenceIds: [sequence.id] })).toMatchObject({ changed: 5, skipped: 1 })
    expect(await world.announced('sequence.subscribed')).toHaveLength(6)
    const ids = parisians.slice(0, 2).map(({ id }) => id)
    expect(await runBulk(world, { ids }, { removeSequenceIds: [sequence.id] })).toMatchObject({ changed: 2 })
    expect(await world.announced('sequence.unsubscribed')).toHaveLength(2)
    const read = 'query ($id: ID!) { sequence(id: $id) { activeContacts } }'
    expect((await world.run(read, { id: sequence.id })).sequence.activeContacts).toBe(4)
  })

  it('unsubscribes contacts, also those that never consented', async () => {
    const { world, parisians } = await newTown()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.subscribe(parisians[0] as { id: string }, sequence)
    const never = await world.contact({ city: 'Paris' })
    const unsubscribe = { source: 'clean-up', text: 'No more' }
    expect(await runBulk(world, inParis, { unsubscribe })).toMatchObject({ changed: 7 })
    expect(await runBulk(world, inParis, { unsubscribe: {} })).toMatchObject({ changed: 0, skipped: 7 })
    expect(await world.announced('contact.unsubscribed')).toHaveLength(6)
    expect(await world.announced('sequence.unsubscribed')).toHaveLength(1)
    const consents =
      'query ($id: ID!) { contact(ref: { id: $id }) { emailMarketing consents { nodes { kind granted source text } } } }'
    for (const id of [never.id, parisians[1]?.id]) {
      expect((await world.run(consents, { id })).contact).toEqual({
        emailMarketing: false,
        consents: { nodes: [{ kind: 'EMAIL_MARKETING', granted: false, ...unsubscribe }] },
      })
    }
  })

  it('sets fields and custom fields', async () => {
    const { world, parisians } = await newTown()
    const field = await world.customField({ name: 'Note' })
    const update = { country: 'France', gdpr: true, customFields: [{ customFieldId: field.id, value: 'x' }] }
    expect(await runBulk(world, inParis, { update })).toMatchObject({ action: 'UPDATE', changed: 6 })
    expect(await runBulk(world, inParis, { update })).toMatchObject({ changed: 0, skipped: 6 })
    const read = 'query ($id: ID!) { contact(ref: { id: $id }) { country city gdpr customFields { label value } } }'
    expect((await world.run(read, { id: parisians[3]?.id })).contact).toEqual({
      ...{ country: 'France', city: 'Paris', gdpr: true, customFields: [{ label: 'Note', value: 'x' }] },
    })
    expect(await world.announced('contact.updated')).toHaveLength(6)
    expect(await world.announced('contact.field_updated')).toHaveLength(6)
  })

  it('deletes contacts, and keeps those with orders', async () => {
    const { world, parisians } = await newTown()
    const [buyer, ...others] = parisians as [(typeof parisians)[0], ...typeof parisians]
    await world.order({ customer: { email: buyer.email } })
    const end = await runBulk(world, inParis, { delete: true })
    expect(end).toMatchObject({ status: 'COMPLETED', total: 6, done: 6, changed: 5, skipped: 0, failed: 1 })
    expect(end.errors.nodes).toEqual([
      {
        contactDatabaseId: buyer.databaseId,
        code: 'CONTACT_KEPT',
        message: 'The contact has orders; it was unsubscribed instead.',
        contact: { email: buyer.email },
      },
    ])
    const deleted = (await world.announced('contact.deleted')).map(({ data }) => data['contactId'])
    expect(deleted.sort()).toEqual(idsOf(others))
    expect((await world.announced('contact.unsubscribed')).map(({ data }) => data)).toEqual([
      { contactId: buyer.databaseId, changes: [expect.any(String)] },
    ])
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(people - 5)
  })

  it('lists contacts above a limit as errors', async () => {
    const { world, parisians } = await newTown()
    const full = parisians[0] as (typeof parisians)[0]
    await world.rows(
      `WITH made AS (INSERT INTO tag (account_id, name, created_at)
         SELECT $1, 't' || n, now() FROM generate_series(1, 1000) n RETURNING id)
       INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at) SELECT $1, $2::int, id, now() FROM made`,
      [world.accountId, full.databaseId],
    )
    const tag = await world.tag()
    const end = await runBulk(world, inParis, { addTagIds: [tag.id] })
    expect(end).toMatchObject({ changed: 5, failed: 1 })
    expect(end.errors.nodes).toMatchObject([{ contactDatabaseId: full.databaseId, code: 'LIMIT_REACHED' }])
  })

  it('changes nothing of another account', async () => {
    const { world } = await newTown()
    const other = await world.other()
    const foreign = await other.contact()
    const tag = await world.tag()
    const end = await runBulk(world, { ids: [foreign.id, foreign.databaseId, '99999999999'] }, { addTagIds: [tag.id] })
    expect(end).toMatchObject({ status: 'COMPLETED', total: 2, changed: 0, failed: 2 })
    expect(end.errors.nodes.map(({ code, contact }: { code: string; contact: null }) => [code, contact])).toEqual([
      ['NOT_FOUND', null],
      ['NOT_FOUND', null],
    ])
    await runBulk(world, { ids: [foreign.id] }, { delete: true })
    expect((await other.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(1)
    expect(await other.announced('contact.tag_added')).toEqual([])
    for (const id of [end.id, end.databaseId]) {
      expect((await other.run(ReadJob, { id })).bulkJob).toBeNull()
      expect((await other.fault(Cancel, { id })).extensions.code).toBe('NOT_FOUND')
    }
  })

  it.each([
    ['a filter without a condition', { filter: {} }, { delete: true }, 'input.contacts.filter'],
    ['no ids', { ids: [] }, { delete: true }, 'input.contacts.ids'],
    ['too many ids', { ids: Array.from({ length: 10_001 }, (_, n) => n + 1) }, { delete: true }, 'input.contacts.ids'],
    [
      'the id of another type',
      { ids: [Buffer.from('Tag:1').toString('base64url')] },
      { delete: true },
      'input.contacts.ids',
    ],
    ['all: false', { all: false }, { delete: true }, 'input.contacts.all'],
    ['delete: false', { all: true }, { delete: false }, 'input.action.delete'],
    ['no tags', { all: true }, { addTagIds: [] }, 'input.action.addTagIds'],
    ['an empty update', { all: true }, { update: {} }, 'input.action.update'],
    ['a long name', { all: true }, { update: { city: 'x'.repeat(256) } }, 'input.action.update.city'],
    ['an unknown exclusion', { filter: { tags: { none: [1] } } }, { delete: true }, 'input.contacts.filter.tags.none'],
  ])('returns VALIDATION_ERROR for %s', async (_what, contacts, action, path) => {
    const world = await open()
    const { code, details } = (await world.fault(Bulk, { input: { contacts, action } })).extensions
    expect([code, Object.keys(details ?? {})]).toEqual(['VALIDATION_ERROR', [path]])
  })

  it('returns VALIDATION_ERROR for an invalid custom field value', async () => {
    const world = await open()
    const field = await world.customField({ name: 'Size', type: 'NUMBER' })
    const update = { customFields: [{ customFieldId: field.id, value: 'large' }] }
    const { details } = (await world.fault(Bulk, { input: { contacts: { all: true }, action: { update } } })).extensions
    expect(Object.keys(details ?? {})).toEqual(['input.action.update.customFields.0.value'])
  })

  it('returns NOT_FOUND and SEQUENCE_HAS_NO_STAGES', async () => {
    const world = await open()
    const foreign = await world.other()
    const tag = await foreign.tag()
    const [sequence, other] = [await world.sequence(), await foreign.sequence()]
    const codeOf = async (action: object) =>
      (await world.fault(Bulk, { input: { contacts: { all: true }, action } })).extensions.code
    expect(await codeOf({ addTagIds: [tag.id] })).toBe('NOT_FOUND')
    expect(await codeOf({ removeTagIds: [tag.id] })).toBe('NOT_FOUND')
    expect(await codeOf({ addSequenceIds: [other.id] })).toBe('NOT_FOUND')
    expect(await codeOf({ removeSequenceIds: [other.id] })).toBe('NOT_FOUND')
    expect(await codeOf({ addSequenceIds: [sequence.id] })).toBe('SEQUENCE_HAS_NO_STAGES')
    expect((await world.run('{ bulkJobs { totalCount } }')).bulkJobs.totalCount).toBe(0)
  })

  it('needs the scopes of the filter and of the action', async () => {
    const world = await open()
    const key = await world.key({ scopes: ['contacts:write', 'contacts:read'] })
    const sequence = await world.sequence()
    const codeOf = async (contacts: object, action: object) =>
      (await world.fault(Bulk, { input: { contacts, action } }, { key })).extensions.code
    expect(await codeOf({ filter: { hasOrders: true } }, { delete: true })).toBe('FORBIDDEN')
    expect(await codeOf({ all: true }, { addSequenceIds: [sequence.id] })).toBe('FORBIDDEN')
    expect(await codeOf({ all: true }, { removeSequenceIds: [sequence.id] })).toBe('FORBIDDEN')
    const reader = await world.key({ scopes: ['contacts:read'] })
    const input = { contacts: { all: true }, action: { delete: true } }
    expect((await world.fault(Bulk, { input }, { key: reader })).extensions.code).toBe('FORBIDDEN')
  })

  it('ignores changes after a contact was selected, and contacts that were created later', async () => {
    const { world, parisians } = await newTown()
    const job = await startBulk(world, inParis, { update: { city: 'Lyon' } })
    await world.contact({ city: 'Paris' })
    expect(await waitForBulk(world, job.id)).toMatchObject({ total: parisians.length, changed: parisians.length })
  })

  it('fails if the filter excludes something that was deleted meanwhile', async () => {
    const { world } = await newTown()
    const tag = await world.tag()
    const job = await startBulk(world, { ids: [1] }, { delete: true })
    await waitForBulk(world, job.id)
    await world.rows(
      `UPDATE bulk_job SET status = 'RUNNING', selected_at = NULL, scanned_to = 0, filter = $2::jsonb, total = 0, done = 0
       WHERE account_id = $1`,
      [world.accountId, JSON.stringify({ tags: { none: [tag.id] } })],
    )
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id })
    await world.rows(
      `SELECT graphile_worker.add_job('contacts:bulk', json_build_object('accountId', $1::int, 'bulkJobId', $2::int))`,
      [world.accountId, job.databaseId],
    )
    expect(await waitForBulk(world, job.id)).toMatchObject({
      status: 'FAILED',
      error: 'The filter excludes a tag that was deleted.',
    })
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(people)
  })
})

describe('bulkJobs', () => {
  it('lists jobs by action and status', async () => {
    const { world } = await newTown()
    const tag = await world.tag()
    await runBulk(world, { all: true }, { addTagIds: [tag.id] })
    await runBulk(world, inParis, { removeTagIds: [tag.id] })
    const List = `query ($filter: BulkJobFilterInput, $orderBy: [BulkJobOrderInput!]) {
      bulkJobs(filter: $filter, orderBy: $orderBy) { nodes { action } totalCount } }`
    const actions = async (variables: object) =>
      (await world.run(List, variables)).bulkJobs.nodes.map(({ action }: { action: string }) => action)
    expect(await actions({})).toEqual(['REMOVE_TAGS', 'ADD_TAGS'])
    expect(await actions({ filter: { action: ['ADD_TAGS'], status: ['COMPLETED'] } })).toEqual(['ADD_TAGS'])
    expect(await actions({ filter: { total: { gte: '7' } } })).toEqual(['ADD_TAGS'])
    expect(await actions({ orderBy: { field: 'TOTAL', direction: 'ASC' } })).toEqual(['REMOVE_TAGS', 'ADD_TAGS'])
    expect(await actions({ filter: { status: ['FAILED'] } })).toEqual([])
  })
})
