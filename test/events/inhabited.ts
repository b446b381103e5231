import { newCtx } from '../../src/db/context.ts'
import { advance } from '../../src/sequences/index.ts'
import { startBulk } from '../contacts/bulk.ts'
import { newTopic } from '../contacts/topics.ts'
import { newReusableBlock } from '../content/reusable.ts'
import { storedMedia } from '../content/stored.ts'
import { newTemplate } from '../mail/templates.ts'
import { newEditor, type SignedIn } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'
import { failedCampaign, type Ids, mailSettings, sendingCampaign } from './mutations.ts'

/** Creates an account with an object for every mutation, and returns their IDs and its user. */
export async function newFullWorld(): Promise<{ world: World; ids: Ids; user: SignedIn }> {
  const world = await newWorld()
  await mailSettings(world)
  const { nodes } = (await world.run('{ apiKeys { nodes { databaseId } } }')).apiKeys
  await world.key()
  const contact = await world.contact({ email: 'ada@example.com' })
  const other = await world.contact({ emailMarketing: true })
  const [sequence, free] = [await world.sequence(), await world.sequence()]
  const done = await world.stage(sequence, { active: true })
  const stage = await world.stage(sequence, { active: true })
  await world.stage(free)
  const enrolment = await world.subscribe(contact, sequence)
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  await advance(ctx, { enrolmentId: enrolment.databaseId, stageId: done.databaseId })
  const planned = await world.campaign()
  await world.run(
    'mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-12-24 18:00" }) { campaign { id } } }',
    planned,
  )
  const webhook = await world.webhook()
  const { delivery } = (
    await world.run('mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { databaseId } } }', webhook)
  ).webhookTest
  const user = await newEditor(world, 'editor@example.com')
  const ids = {
    contact: contact.databaseId,
    other: other.databaseId,
    sequence: sequence.databaseId,
    stage: stage.databaseId,
    free: free.databaseId,
    campaign: (await world.campaign({ audience: { sendToAll: true }, topicId: (await newTopic(world)).id })).databaseId,
    planned: planned.databaseId,
    failed: (await failedCampaign(world)).databaseId,
    sending: (await sendingCampaign(world)).databaseId,
    reviewed: await createReviewed(world),
    bulkJob: (await startBulk(world, { all: true }, { unsubscribe: {} })).databaseId as number,
    tag: (await world.tag()).databaseId,
    topic: (await newTopic(world)).databaseId,
    segment: (await world.segment()).databaseId,
    field: (await world.customField()).databaseId,
    media: (await storedMedia(world)).databaseId,
    emailTemplate: (await newTemplate(world)).databaseId,
    reusableBlock: (await newReusableBlock(world)).databaseId,
    webhook: webhook.databaseId,
    delivery: delivery.databaseId,
    key: nodes[0].databaseId as number,
    user: user.id,
    session: user.session,
    order: (await world.order()).databaseId,
    paid: (await world.order({ status: 'COMPLETED' })).databaseId,
    payment: (await world.transaction()).databaseId,
    invoice: (await world.invoice()).databaseId,
    plan: (await world.subscription()).databaseId,
    lapsed: (await world.subscription({ status: 'ERROR' })).databaseId,
    ...(await createForms(world)),
    ...(await createFunnel(world)),
  }
  await world.run('mutation { contactImportCreate(input: {}) { uploadUrl } }')
  await world.run(
    `mutation ($form: ID!, $funnel: ID!, $html: String) {
      formConfirmationContentSet(input: { id: $form, html: $html }) { email { id } }
      funnelConfirmationContentSet(input: { id: $funnel, html: $html }) { email { id } } }`,
    { form: ids.form, funnel: ids.funnel, html: '<p>{{CONFIRM_URL}}</p>' },
  )
  await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
  return { world, ids, user }
}

/** Creates a funnel with a step that has a published page. */
async function createFunnel(world: World) {
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: { version: 1, root: [] } })
  return { funnel: funnel.databaseId, step: step.databaseId }
}

/** Creates a form with its questions and a submission, and a draft. */
async function createForms(world: World) {
  const asking = {
    questions: ['one', 'two'].map((label) => ({ label, type: 'YES_NO' })),
    outcomes: [{ key: 'end', title: 'The end', bucket: 'COLD' }],
  }
  const form = await world.form(asking)
  const draft = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { databaseId } } }'
  return {
    form: form.databaseId,
    draft: (await world.run(draft, { input: { name: 'draft', ...asking } })).formCreate.form.databaseId as number,
    question: form.questions[0]?.databaseId ?? 0,
    outcome: form.outcomes[0]?.databaseId ?? 0,
    submission: (await world.submission(form)).databaseId,
  }
}

/** Creates an import that waits for a review. */
async function createReviewed(world: World): Promise<number> {
  const input = { csv: 'email\nreviewed@example.com\n', review: true }
  const { contactImportCreate } = await world.run(
    'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { databaseId } } }',
    { input },
  )
  return contactImportCreate.contactImport.databaseId
}
