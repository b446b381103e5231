import { beforeAll, describe, expect, it } from 'vitest'
import { valueFaults } from '../../src/kernel/errors.ts'
import { newFullWorld } from '../events/inhabited.ts'
import type { Ids } from '../events/mutations.ts'
import type { World } from '../support/world.ts'

type Code = keyof typeof valueFaults

/** A document that is refused because of one value, for each code, with the path of the value. */
const refusals: Readonly<Record<Code, readonly [path: string, document: (ids: Ids) => string]>> = {
  NOT_FOUND: [
    'input.tagId',
    ({ contact }) => `contactTagAdd(input: { contact: { id: ${contact} }, tagId: 0 }) { tag { id } }`,
  ],
  INVALID_STATE: ['input.id', ({ form }) => `formPublish(input: { id: ${form} }) { form { id } }`],
  CAMPAIGN_SCHEDULED: ['input.id', ({ planned }) => `campaignDelete(input: { id: ${planned} }) { deletedCampaignId }`],
  STAGE_NOT_EMAIL: ['input.id', () => 'sequenceStageContentSet(input: { id: $id, html: "x" }) { email { id } }'],
  SEQUENCE_HAS_NO_STAGES: [
    'input.sequenceId',
    ({ contact }) => `sequenceEnrol(input: { contact: { id: ${contact} }, sequenceId: $id }) { enrolment { id } }`,
  ],
  CONTACT_EXISTS: ['input.email', () => 'contactCreate(input: { email: "ADA@example.com" }) { contact { id } }'],
  TAG_EXISTS: ['input.name', () => 'tagCreate(input: { name: "taken" }) { tag { id } }'],
  WEBHOOK_EXISTS: ['input.url', () => 'webhookCreate(input: { url: "https://hook.invalid/taken" }) { webhook { id } }'],
  PATH_TAKEN: ['input.path', () => 'funnelStepUpdate(input: { id: $id, path: "taken" }) { step { id } }'],
  INVALID_PERIOD: ['range', () => 'account { series(figure: SENDS, period: BETWEEN) { total } }'],
  INVALID_DATE: [
    'input.scheduledFor',
    ({ campaign }) => `campaignSchedule(input: { id: ${campaign}, scheduledFor: "2026-02-30" }) { campaign { id } }`,
  ],
}

describe('an error about a value of the input', () => {
  let world: World
  let ids: Ids
  /** The objects that `$id` stands for. */
  let special: Partial<Record<Code, string>>
  beforeAll(async () => {
    ;({ world, ids } = await newFullWorld())
    const sequence = await world.sequence()
    const { id: stage } = await world.stage({ id: String(ids.free) }, { stageType: 'SEND_SMS' })
    await world.tag('taken')
    await world.webhook({ url: 'https://hook.invalid/taken' })
    const funnel = await world.funnel()
    await world.step(funnel, { name: 'taken' })
    const { id: step } = await world.step(funnel, { name: 'free' })
    special = { STAGE_NOT_EMAIL: stage, SEQUENCE_HAS_NO_STAGES: sequence.id, PATH_TAKEN: step }
  })

  it.each(Object.keys(refusals) as Code[])('names the argument if its code is %s', async (code) => {
    const [path, document] = refusals[code]
    const text = document(ids).replace('$id', `"${special[code]}"`)
    const operation = code === 'INVALID_PERIOD' ? 'query' : 'mutation'
    const { message, extensions } = await world.fault(`${operation} { ${text} }`)
    const [fieldCode, fault] = valueFaults[code]
    expect(extensions).toEqual({
      code,
      details: { [path]: [fault] },
      fields: [{ path, code: fieldCode, message: fault }],
    })
    expect(message).not.toBe('')
  })
})
