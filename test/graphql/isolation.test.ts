import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { startBulk } from '../contacts/bulk.ts'
import { newTopic } from '../contacts/topics.ts'
import { newReusableBlock } from '../content/reusable.ts'
import { storedMedia } from '../content/stored.ts'
import { newTemplate } from '../mail/templates.ts'
import { everything } from '../support/everything.ts'
import { newRewind } from '../support/rewind.ts'
import { asUser, newEditor, signInAgain } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'
import { argumentsThatName, type ForeignAccess, kinds, type ObjectReference, type ObjectReferences } from './foreign.ts'
import { listForeignAccess } from './trespasses.ts'

async function createObjects(world: World): Promise<ObjectReferences> {
  const contact = await world.contact({ emailMarketing: true })
  const tag = await world.tag()
  const customField = await world.customField()
  const sequence = await world.sequence()
  const stage = await world.stage(sequence, {
    stageType: 'ACTION',
    action: { addTagId: tag.id },
    active: true,
  })
  const letterStage = await world.stage(await world.sequence(), { active: true })
  const { email, ...campaign } = await world.campaign({ audience: { lists: { includeTagIds: [tag.id] } } })
  const { account, apiKeys } = await world.run('{ account { id databaseId } apiKeys { nodes { id databaseId } } }')
  await world.run(
    `mutation ($id: ID!, $tagId: ID!, $fieldId: ID!) {
      contactTagAdd(input: { contact: { id: $id }, tagId: $tagId }) { tag { id } }
      contactFieldSet(input: { contact: { id: $id }, customFieldId: $fieldId, value: "kept" }) { value } }`,
    { id: contact.id, tagId: tag.id, fieldId: customField.id },
  )
  const enrolment = await world.subscribe(contact, sequence)
  const { email: _email, ...sent } = await world.campaign()
  await world.rows(
    `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
     VALUES ($1, $2, $3, 'SENT', now(), now(), now(), now())`,
    [world.accountId, sent.databaseId, contact.databaseId],
  )
  await world.rows("UPDATE campaign SET status = 'SENT', recipients_count = 1 WHERE account_id = $1 AND id = $2", [
    world.accountId,
    sent.databaseId,
  ])
  const apiKey = apiKeys.nodes[0]
  const { contactImport } = (
    await world.run('mutation { contactImportCreate(input: {}) { contactImport { id databaseId } } }')
  ).contactImportCreate
  const { url: _url, ...hook } = await world.webhook()
  const { delivery } = (
    await world.run('mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { id } } }', hook)
  ).webhookTest
  const webhook = { ...hook, delivery: delivery.id }
  return {
    account,
    apiKey,
    user: await createUser(world),
    contact,
    tag,
    segment: await world.segment({ tags: { any: [tag.id] } }),
    contactImport,
    bulkJob: await startBulk(world, { all: true }, { unsubscribe: {} }),
    customField,
    topic: await newTopic(world),
    media: await storedMedia(world),
    reusableBlock: await newReusableBlock(world),
    emailTemplate: await newTemplate(world),
    sequence,
    stage,
    letterStage,
    enrolment,
    campaign,
    sent,
    email,
    webhook,
    ...(await createSales(world, contact)),
    ...(await createForms(world, contact)),
    ...(await createFunnel(world)),
  }
}

/** Creates a user with a session. */
async function createUser(world: World): Promise<ObjectReference> {
  const { id: databaseId, email, session } = await newEditor(world, `editor${world.accountId}@example.com`)
  return { id: Buffer.from(`User:${databaseId}`).toString('base64url'), databaseId, email, session: String(session) }
}

/** Creates a funnel with a step that has a published page, and a visit of it. */
async function createFunnel(world: World) {
  const funnel = await world.funnel()
  const { id, databaseId } = await world.step(funnel, { content: { version: 1, root: [] } })
  await world.run('mutation ($id: ID!) { visitRecord(input: { stepId: $id, visitorId: "ada" }) { counted } }', { id })
  return { funnel, step: { id, databaseId } }
}

/** Creates a form with a question and an outcome, a submission of it, and a draft. */
async function createForms(world: World, { id }: { id: string }) {
  const { questions, outcomes, ...form } = await world.form(formInput)
  const draft = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { id databaseId } } }'
  return {
    form,
    draft: (await world.run(draft, { input: { name: 'draft', ...formInput } })).formCreate.form,
    question: questions[0] as ObjectReference,
    outcome: outcomes[0] as ObjectReference,
    submission: await world.submission(form, {
      contact: { id },
      answers: [{ questionId: questions[0]?.id, value: 'yes' }],
    }),
  }
}

const formInput = {
  questions: ['one', 'two'].map((label) => ({ label, type: 'YES_NO' })),
  outcomes: [{ key: 'end', title: 'The end', bucket: 'COLD' }],
}

/** Creates an order, a payment, an invoice, a partial credit note and a subscription. */
async function createSales(world: World, { email }: { email: string }) {
  const { customer, ...order } = await world.order({ customer: { email } })
  const { prefix: _prefix, number: _number, ...invoice } = await world.invoice({ customer: { email } })
  return {
    customer,
    order,
    invoice,
    transaction: await world.transaction({ orderId: order.id }),
    creditNote: await world.creditNote(invoice, { amount: '6' }),
    billingSubscription: await world.subscription({ customer: { email } }),
  }
}

function documentOf(field: string, args: ForeignAccess['args'], select: string): string {
  const root = schema.getMutationType()?.getFields()[field] ? 'mutation' : 'query'
  const given = (root === 'mutation' ? schema.getMutationType() : schema.getQueryType())
    ?.getFields()
    [field]?.args.filter(({ name }) => name in args)
  const parameters = given?.map(({ name, type }) => `$${name}: ${type}`).join(', ')
  return `${root} (${parameters}) { ${field}(${given?.map(({ name }) => `${name}: $${name}`).join(', ')}) { ${select} } }`
}

const forms: [string, (thing: ObjectReference) => string | number][] = [
  ['global id', ({ id }) => id],
  ['integer', ({ databaseId }) => databaseId],
]
const nobody: ObjectReferences = Object.fromEntries(
  kinds.map((kind) => [kind, { id: kind, databaseId: 0, email: kind }]),
) as never
const fields = Object.keys(argumentsThatName())

describe('an id of another account', () => {
  let victim: World
  let foreign: ObjectReferences
  let world: World
  let own: ObjectReferences
  let rewind: () => Promise<void>
  /** All rows of the victim, which each test must leave as they are. */
  let before: Awaited<ReturnType<typeof everything>>
  // The tests share two accounts. Each test restores them.
  beforeAll(async () => {
    victim = await newWorld()
    foreign = await createObjects(victim)
    world = await victim.other()
    own = await createObjects(world)
    rewind = await newRewind(victim)
    before = await everything(victim)
  })

  it('is tested in every argument that accepts an ID', () => {
    const tried = listForeignAccess({ own: nobody, foreign: nobody, form: ({ id }) => id })
    const names = Object.entries(tried).map(([field, ways]) => [
      field,
      [...new Set(ways.flatMap((way) => way.names))].sort(),
    ])
    expect(Object.fromEntries(names)).toEqual(argumentsThatName())
  })

  it.each(fields.flatMap((field) => forms.map(([name, form]) => ({ field, name, form }))))(
    'behaves like an unknown ID in $field, by $name',
    async ({ field, form }) => {
      await rewind()
      // A request that is refused changes nothing, so what was read after it is what there is before the next one.
      let mine: typeof before | undefined
      for (const { args, select, comes, isOfUser } of listForeignAccess({ own, foreign, form })[field] ?? []) {
        const { databaseId: id, email = '' } = own.user
        const caller = isOfUser ? asUser(await signInAgain(world, { id, email })) : {}
        const isRefused = typeof comes === 'string'
        if (isRefused && (isOfUser || !mine)) mine = await everything(world)
        const { body } = await world.ask(documentOf(field, args, select), args, caller)
        if (isRefused) {
          expect(body.errors, JSON.stringify([args, body])).toMatchObject([{ extensions: { code: comes } }])
          if (comes === 'NOT_FOUND') expect(body.errors[0].extensions.fields, JSON.stringify(args)).toHaveLength(1)
          expect(await everything(world)).toEqual(mine)
        } else {
          mine = undefined
          expect(body.errors).toBeUndefined()
          const got = body.data[field]
          if (field === 'contactUpsert' || field === 'contactUpdate') {
            for (const { id } of Object.values(foreign)) expect(JSON.stringify(got)).not.toContain(`"${id}"`)
          } else expect(Array.isArray(got) ? got.filter(Boolean) : got, JSON.stringify(args)).toEqual(comes)
        }
      }
      expect(await everything(victim)).toEqual(before)
    },
  )

  it('is compared after the event log is idle', async () => {
    await rewind()
    const sequencer = new pg.Client({ connectionString: world.server.databaseUrl })
    await sequencer.connect()
    try {
      await sequencer.query('BEGIN; SELECT position FROM event_counter FOR UPDATE')
      await world.contact()
      let isRead = false
      const reading = everything(world).finally(() => {
        isRead = true
      })
      // Many times the number of statements of a normal read.
      for (let statement = 0; statement < 50; statement += 1) await world.rows('SELECT pg_sleep(0.005)')
      expect(isRead).toBe(false)
      await sequencer.query('COMMIT')
      const events = (await reading)['outbox_event'] as { position: number | null }[]
      expect(events.filter(({ position }) => position === null)).toEqual([])
    } finally {
      await sequencer.end()
    }
  })

  it('returns null among nodes of the account', async () => {
    await rewind()
    const ids = [...Object.values(foreign), ...Object.values(own)].map(({ id }) => id)
    const { nodes } = await world.run('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })
    expect(nodes).toEqual([...kinds.map(() => null), ...Object.values(own).map(({ id }) => ({ id }))])
  })

  it('does not prevent an object with the same address, tag or name in this account', async () => {
    const world = await victim.other()
    const { email } = await victim.contact({ email: 'same@example.com' })
    await victim.tag('same')
    await victim.segment({}, 'same')
    await victim.customField({ name: 'same' })
    await world.contact({ email })
    await world.tag('same')
    await world.segment({}, 'same')
    await world.customField({ name: 'same' })
    expect(await world.announced('contact.created')).toHaveLength(1)
  })
})
