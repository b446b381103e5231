// @module-tag rows
import { describe, expect, it } from 'vitest'
import { unsubscribeToken } from '../../src/mail/messages/message-tokens.ts'
import { message } from '../mail/support.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { ada, createHistory } from './deletion.ts'

const Merge = `mutation ($input: ContactMergeInput!) { contactMerge(input: $input) {
  deletedContactId deletedContactDatabaseId contact { id email firstName lastName city emailMarketing tags { name }
    customFields { value } consents { totalCount } } } }`

const merge = async (world: World, contact: Pick<Named, 'id'>, into: Pick<Named, 'id'>) =>
  (await world.run(Merge, { input: { contact: { id: contact.id }, into: { id: into.id } } })).contactMerge

const setField = (world: World, contact: Named, customFieldId: string, value: string) =>
  world.run('mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { value } }', {
    input: { contact: { id: contact.id }, customFieldId, value },
  })

/** Returns the contact, the campaign and the state of all messages, by id. */
const messages = (world: World) =>
  world.rows<{ id: string; contact: number; state: string; redacted: boolean }>(
    `SELECT id, contact_id AS contact, state::text AS state, is_redacted AS redacted FROM mail_recipient
     WHERE account_id = $1 ORDER BY id`,
    [world.accountId],
  )

describe('contactMerge', () => {
  it('gives the history of a contact to the other one, whose values win', async () => {
    const { world, person, other, campaign } = await createHistory()
    const [own, filled] = [await world.customField(), await world.customField()]
    await setField(world, person, own.id, 'of the source')
    await setField(world, person, filled.id, 'fills a gap')
    await setField(world, other as Named, own.id, 'of the target')
    const tag = await world.tag('vip')
    await world.run('mutation ($input: ContactTagAddInput!) { contactTagAdd(input: $input) { tag { id } } }', {
      input: { contact: { id: person.id }, tagId: tag.id },
    })
    await world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
      input: { contact: { id: other.id }, firstName: 'Target' },
    })
    const order = await world.order({ customer: { email: ada.email } })
    const before = (await world.announced()).length
    const result = await merge(world, person, other)
    expect(result).toMatchObject({
      deletedContactId: person.id,
      deletedContactDatabaseId: person.databaseId,
      contact: {
        id: other.id,
        email: 'stays@people.example',
        ...{
          firstName: 'Target',
          lastName: ada.lastName,
          city: ada.city,
          emailMarketing: true,
          tags: [{ name: 'vip' }],
        },
      },
    })
    expect(result.contact.customFields.map(({ value }: { value: string }) => value).sort()).toEqual([
      'Ada wrote this',
      'fills a gap',
      'of the target',
    ])
    expect(result.contact.consents.totalCount).toBe(4)
    const Read = `query ($id: ID!, $order: ID!, $campaign: ID!) {
      contact(ref: { id: $id }) { submissions { totalCount } sequences { id } customers { totalCount } }
      order(ref: { id: $order }) { customer { contact { id } } }
      campaign(id: $campaign) { stats { sent opened } recipients { nodes { contact { id } } } } }`
    const read = await world.run(Read, { id: other.id, order: order.id, campaign: campaign.id })
    expect(read).toMatchObject({
      contact: { submissions: { totalCount: 2 }, sequences: [{}], customers: { totalCount: 1 } },
      order: { customer: { contact: { id: other.id } } },
      campaign: { stats: { sent: 2, opened: 2 } },
    })
    // Both got the campaign. One of the messages stays without a contact.
    expect(read.campaign.recipients.nodes).toEqual(
      expect.arrayContaining([{ contact: null }, { contact: { id: other.id } }]),
    )
    const [visits] = await world.rows(
      'SELECT count(*)::int AS n FROM visit WHERE account_id = $1 AND contact_id = $2',
      [...[world.accountId, other.databaseId]],
    )
    expect(visits).toEqual({ n: 4 })
    const emitted = (await world.announced()).slice(before)
    expect(emitted.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['contact.tag_added', 'contact.field_updated', 'contact.deleted', 'contact.updated']),
    )
    expect(emitted.filter(({ type }) => type === 'contact.updated')).toEqual([
      { type: 'contact.updated', data: { contactId: other.databaseId, changes: expect.any(Array) } },
    ])
    expect(emitted.filter(({ type }) => type === 'contact.deleted')).toEqual([
      { type: 'contact.deleted', data: { contactId: person.databaseId } },
    ])
  })

  it('sends no campaign twice: the message that was sent remains, and the other one is skipped', async () => {
    const world = await newWorld()
    const [source, target] = [await world.contact(), await world.contact()]
    const made: [string, bigint, bigint][] = []
    for (const [of, to] of [
      ['SENT', 'QUEUED'],
      ['QUEUED', 'SENT'],
      ['QUEUED', 'QUEUED'],
      ['SENDING', 'CLAIMED'],
      ['CLAIMED', 'SKIPPED'],
    ] as const) {
      const { databaseId: campaignId } = await world.campaign()
      const sent = (state: string) => ({ campaignId, state, sent: state === 'SENT' })
      made.push([`${of} ${to}`, await message(world, source, sent(of)), await message(world, target, sent(to))])
    }
    const { databaseId: campaignId } = await world.campaign()
    const claimed = await message(world, source, { campaignId, state: 'CLAIMED', sent: false })
    await merge(world, source, target)
    const all = new Map((await messages(world)).map(({ id, ...row }) => [BigInt(id), row]))
    const [gone, kept] = [source.databaseId, target.databaseId]
    const aside = (state: string) => ({ contact: gone, state, redacted: true })
    const mine = (state: string) => ({ contact: kept, state, redacted: false })
    expect(made.map(([name, of, to]) => [name, all.get(of), all.get(to)])).toEqual([
      ['SENT QUEUED', mine('SENT'), aside('SKIPPED')],
      ['QUEUED SENT', aside('SKIPPED'), mine('SENT')],
      ['QUEUED QUEUED', aside('SKIPPED'), mine('QUEUED')],
      ['SENDING CLAIMED', mine('SENDING'), aside('SKIPPED')],
      ['CLAIMED SKIPPED', mine('QUEUED'), aside('SKIPPED')],
    ])
    expect(all.get(claimed)).toEqual(mine('QUEUED'))
  })

  it('continues the enrolment that is further in a sequence, and ends the other one', async () => {
    const world = await newWorld()
    const [active, merged] = [
      { state: 'ACTIVE', reason: null },
      { state: 'ENDED', reason: 'MERGED' },
    ]
    for (const isSourceFurther of [true, false]) {
      const [source, target] = [await world.contact(), await world.contact()]
      const [shared, alone] = [await world.sequence(), await world.sequence()]
      const stage = await world.stage(shared, { active: true })
      await world.stage(alone, { active: true })
      const ofSource = await world.subscribe(source, shared)
      const ofTarget = await world.subscribe(target, shared)
      const single = await world.subscribe(source, alone)
      const further = isSourceFurther ? ofSource : ofTarget
      await message(world, isSourceFurther ? source : target, {
        ...{ sequenceId: shared.databaseId, stageId: stage.databaseId, enrolmentId: further.databaseId },
      })
      await merge(world, source, target)
      const rows = await world.rows<{ id: number; state: string; reason: string | null }>(
        'SELECT id, state::text AS state, end_reason::text AS reason FROM enrolment WHERE account_id = $1 AND contact_id = $2 ORDER BY id',
        [world.accountId, target.databaseId],
      )
      expect(rows).toEqual([
        { id: ofSource.databaseId, ...(isSourceFurther ? active : merged) },
        { id: ofTarget.databaseId, ...(isSourceFurther ? merged : active) },
        { id: single.databaseId, ...active },
      ])
    }
  })

  it.each([
    ['neither decided', [], [], false],
    ['only the source consented', [true], [], true],
    ['the source opted out', [true, false], [true], false],
    ['the target opted out', [true], [true, false], false],
    ['both consented', [true], [true], true],
  ] as const)('decides on the consent if %s', async (_name, ofSource, ofTarget, expected) => {
    const world = await newWorld()
    const [target, source] = [await world.contact(), await world.contact()]
    const give = async (contact: Named, all: readonly boolean[]) => {
      for (const emailMarketing of all)
        await world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
          input: { contact: { id: contact.id }, emailMarketing },
        })
    }
    await give(target, ofTarget)
    await give(source, ofSource)
    expect((await merge(world, source, target)).contact.emailMarketing).toBe(expected)
  })

  it.each(['source', 'target'])(
    'keeps the refusal of the %s as the last record, so that nothing revives it',
    async (refusing) => {
      const world = await newWorld()
      const [source, target] = [
        await world.contact({ emailMarketing: true }),
        await world.contact({ emailMarketing: true }),
      ]
      const [refused, other] = refusing === 'source' ? [source, target] : [target, source]
      const set = (contact: Named, emailMarketing: boolean) =>
        world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
          input: { contact: { id: contact.id }, emailMarketing },
        })
      await set(refused, false)
      await world.rows("UPDATE contact_consent SET created_at = created_at - interval '1 day' WHERE account_id = $1", [
        world.accountId,
      ])
      // A later consent of the contact that is merged does not count, one of the contact that remains does.
      if (refusing === 'target') await set(other, false)
      if (refusing === 'target') await set(other, true)
      expect((await merge(world, source, target)).contact.emailMarketing).toBe(false)
      const read = 'query ($id: ID!) { contact(ref: { id: $id }) { consents(first: 1) { nodes { granted } } } }'
      expect((await world.run(read, { id: target.id })).contact.consents.nodes).toEqual([{ granted: false }])
    },
  )

  it('keeps a consent of the target that is later than the withdrawal of the source', async () => {
    const world = await newWorld()
    const [source, target] = [await world.contact({ emailMarketing: true }), await world.contact()]
    const set = (contact: Named, emailMarketing: boolean) =>
      world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
        input: { contact: { id: contact.id }, emailMarketing },
      })
    await set(source, false)
    await world.rows("UPDATE contact_consent SET created_at = created_at - interval '1 day' WHERE account_id = $1", [
      world.accountId,
    ])
    await set(target, true)
    expect((await merge(world, source, target)).contact.emailMarketing).toBe(true)
  })

  it('lets the unsubscribe links of the merged contact unsubscribe the other one, also after another merge', async () => {
    const world = await newWorld()
    const [a, b, c] = [await world.contact(), await world.contact(), await world.contact({ emailMarketing: true })]
    const { databaseId: campaignId } = await world.campaign()
    const recipientId = await message(world, a, { campaignId })
    await message(world, b, { campaignId })
    await merge(world, a, b)
    await merge(world, b, c)
    const token = unsubscribeToken('a secret that only tests know', { accountId: world.accountId, recipientId })
    const response = await fetch(`${world.server.url}/u/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(response.status).toBeLessThan(400)
    const { contact } = await world.run('query ($ref: ContactRefInput!) { contact(ref: $ref) { emailMarketing } }', {
      ref: { id: c.id },
    })
    expect(contact.emailMarketing).toBe(false)
  })

  it('applies complaints and manual suppressions, not bounces, to the address of the target', async () => {
    const world = await newWorld()
    for (const reason of ['MANUAL', 'COMPLAINT', 'BOUNCE']) {
      const [source, target] = [await world.contact(), await world.contact()]
      await world.rows(
        'INSERT INTO suppression (account_id, email, reason, created_at) VALUES ($1, $2, $3::suppression_reason, now())',
        [world.accountId, source.email, reason],
      )
      await merge(world, source, target)
      const found = await world.rows('SELECT FROM suppression WHERE account_id = $1 AND email = $2', [
        ...[world.accountId, target.email],
      ])
      expect([reason, found.length]).toEqual([reason, reason === 'BOUNCE' ? 0 : 1])
    }
  })

  it('merges concurrent requests in both directions once', async () => {
    const world = await newWorld()
    const [a, b] = [await world.contact(), await world.contact()]
    const input = (contact: Named, into: Named) => ({ input: { contact: { id: contact.id }, into: { id: into.id } } })
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => world.ask(Merge, n % 2 ? input(a, b) : input(b, a))),
    )
    expect(replies.filter(({ body }) => !body.errors)).toHaveLength(1)
    for (const { body } of replies) if (body.errors) expect(body.errors[0].extensions.code).toBe('NOT_FOUND')
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(1)
  })

  it('throws VALIDATION_ERROR for one contact, NOT_FOUND, and FORBIDDEN', async () => {
    const world = await newWorld()
    const [a, foreign] = [await world.contact(), await (await world.other()).contact()]
    const code = async (contact: object, into: object, options = {}) =>
      (await world.fault(Merge, { input: { contact, into } }, options)).extensions
    expect(await code({ id: a.id }, { email: a.email })).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.into': ['must be another contact'] },
    })
    expect(await code({ id: a.id }, { id: foreign.id })).toMatchObject({ code: 'NOT_FOUND' })
    expect(await code({ email: foreign.email }, { id: a.id })).toMatchObject({ code: 'NOT_FOUND' })
    const key = await world.key({ scopes: ['contacts:read'] })
    expect(await code({ id: a.id }, { id: foreign.id }, { key })).toMatchObject({ code: 'FORBIDDEN' })
  })

  it('merges a contact with 100,000 opens and 20,000 visits in a small multiple of the time of their creation', async () => {
    const world = await newWorld()
    const [source, target] = [await world.contact(), await world.contact()]
    const startedAt = performance.now()
    await world.rows(
      `WITH sent AS (INSERT INTO mail_recipient (account_id, contact_id, state, created_at, sent_at)
         SELECT $1, $2, 'SENT', now(), now() FROM generate_series(1, 5000) RETURNING id)
       INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot)
       SELECT $1, now(), sent.id, false FROM sent CROSS JOIN generate_series(1, 20)`,
      [world.accountId, source.databaseId],
    )
    await world.rows(
      `INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, contact_id)
       SELECT $1, now(), 1, 1, 'v', $2 FROM generate_series(1, 20000)`,
      [world.accountId, source.databaseId],
    )
    const createdAt = performance.now()
    await merge(world, source, target)
    expect(performance.now() - createdAt).toBeLessThan(10 * (createdAt - startedAt))
    expect((await messages(world)).every(({ contact }) => contact === target.databaseId)).toBe(true)
  })
})
