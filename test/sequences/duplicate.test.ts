import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const fields = `id databaseId name type activeContacts stagesCount stages { id step name stageType timeValue timeType active smsText
  email { id subject fromName fromEmail html text htmlUrl textUrl } action { kind url tag { name } sequence { databaseId } } }`
const Read = `query ($id: ID!) { sequence(id: $id) { ${fields} } }`
const Duplicate = `mutation ($input: SequenceDuplicateInput!) { sequenceDuplicate(input: $input) { sequence { ${fields} } } }`
const StageDelete = 'mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }'

interface Stage {
  id: string
  email: { id: string; htmlUrl: string | null; textUrl: string | null } | null
  action: { kind: string; sequence: unknown } | null
}

/** Creates a sequence with one stage of each kind, two of them active. */
async function newSource(world: World, name = 'Onboarding') {
  const source = await world.sequence({ name, type: 'INVERTED' })
  const other = await world.sequence()
  const letter = await world.stage(source, { active: true, name: 'Welcome' })
  await world.run(
    `mutation ($id: ID!) { sequenceStageContentSet(input: { id: $id, html: "<p>Hi</p>", text: "Hi", subject: "Hi",
      fromName: "Ada", fromEmail: "ada@example.com" }) { stage { id } } }`,
    letter,
  )
  await world.stage(source, { stageType: 'SEND_EMAIL', name: 'Empty', timeValue: 3, timeType: 'WEEKS' })
  await world.stage(source, { stageType: 'SEND_SMS', smsText: 'Hello', active: true })
  const tag = await world.tag('vip')
  for (const action of [
    { addTagId: tag.id },
    { addSequenceId: other.id },
    { removeSequenceId: source.id },
    { webhookUrl: 'https://hook.invalid/x' },
    { unsubscribe: true },
  ]) {
    await world.stage(source, { stageType: 'ACTION', action })
  }
  return { source, other, letter }
}

describe('sequenceDuplicate', () => {
  it('copies the settings and all stages with their content, as inactive stages and without enrolments', async () => {
    const world = await newWorld()
    const { source, letter } = await newSource(world)
    await world.subscribe(await world.contact(), source)
    const before = (await world.run(Read, source)).sequence
    const { sequence } = (await world.run(Duplicate, { input: { id: source.id } })).sequenceDuplicate
    const id = expect.any(String)
    const ownUrl = (url: string | null) => url && expect.not.stringMatching(url)
    expect(sequence).toEqual({
      ...before,
      ...{ id, databaseId: expect.any(Number), name: 'Copy of Onboarding', activeContacts: 0 },
      stages: before.stages.map((stage: Stage) => ({
        ...stage,
        ...{ id, active: false },
        email: stage.email && {
          ...stage.email,
          ...{ id, htmlUrl: ownUrl(stage.email.htmlUrl), textUrl: ownUrl(stage.email.textUrl) },
        },
        action: stage.action && {
          ...stage.action,
          sequence: stage.action.kind === 'UNENROL' ? { databaseId: sequence.databaseId } : stage.action.sequence,
        },
      })),
    })
    expect(sequence.stages[0].email).toMatchObject({ html: '<p>Hi</p>', text: 'Hi', fromName: 'Ada' })
    const ids = [...before.stages, ...sequence.stages].flatMap((stage: Stage) =>
      [stage.id, stage.email?.id ?? []].flat(),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(await world.announced('sequence.created')).toHaveLength(3)
    expect(await world.announced('sequence_stage.created')).toHaveLength(before.stages.length)

    await world.run(StageDelete, letter)
    expect((await world.run(Read, sequence)).sequence).toEqual(sequence)
  })

  it('takes a name, shortens a long default name, and runs once per idempotency key', async () => {
    const world = await newWorld()
    const source = await world.sequence({ name: 'x'.repeat(255) })
    const copy = async (input: object = {}) =>
      (await world.run(Duplicate, { input: { id: source.id, ...input } })).sequenceDuplicate.sequence
    expect((await copy()).name).toHaveLength(255)
    expect(await copy({ name: 'Spring' })).toMatchObject({ name: 'Spring', stages: [] })
    const first = await copy({ idempotencyKey: 'once' })
    expect((await copy({ idempotencyKey: 'once' })).id).toBe(first.id)
  })

  it('returns NOT_FOUND, VALIDATION_ERROR and FORBIDDEN', async () => {
    const world = await newWorld()
    const { source } = await newSource(world)
    const plain = await world.sequence()
    const key = await world.key({ scopes: ['sequences:read', 'sequences:write'] })
    const codeOf = async (input: object, options = {}) =>
      (await world.fault(Duplicate, { input }, options)).extensions.code
    const foreign = await (await world.other()).sequence()
    expect(await codeOf({ id: foreign.id })).toBe('NOT_FOUND')
    expect(await codeOf({ id: plain.id, name: ' ' })).toBe('VALIDATION_ERROR')
    expect(await codeOf({ id: plain.id }, { key: await world.key({ scopes: ['sequences:read'] }) })).toBe('FORBIDDEN')
    expect(await codeOf({ id: source.id }, { key })).toBe('FORBIDDEN')
    expect((await world.run(Duplicate, { input: { id: plain.id } }, { key })).sequenceDuplicate).not.toBeNull()
    await world.rows('UPDATE document SET body = convert_to(repeat($2, 25000001), $3) WHERE account_id = $1', [
      ...[world.accountId, 'x', 'UTF8'],
    ])
    const fault = await world.fault(Duplicate, { input: { id: source.id } })
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ code: 'LIMIT_REACHED' }] })
    expect(fault.message).toContain('50 MB')
  })

  it('takes the same number of statements for any number of stages', async () => {
    const world = await newWorld()
    const counts: number[] = []
    for (const size of [1, 12]) {
      const source = await world.sequence()
      for (let count = 0; count < size; count += 1) await world.stage(source, { active: true })
      counts.push(await world.statements(() => world.run(Duplicate, { input: { id: source.id } })))
    }
    expect(counts[1]).toBe(counts[0])
  })
})
