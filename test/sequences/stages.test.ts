import { describe, expect, it } from 'vitest'
import { type Named, newWorld, type World } from '../support/world.ts'
import { contentSet, sequenceRead, stageCreate, stageDelete, stageUpdate } from './documents.ts'

async function order(world: World, sequence: { id: string }): Promise<[number, string][]> {
  const { stages } = (await world.run(sequenceRead, { id: sequence.id })).sequence
  return stages.map(({ step, name }: { step: number; name: string }) => [step, name])
}

describe('a stage', () => {
  it('is created at the end, inactive, named by its step, with a delay of one day', async () => {
    const world = await newWorld()
    await world.run(
      'mutation { accountUpdate(input: { senderName: "Ada", senderEmail: "ada@example.com" }) { account { id } } }',
    )
    const sequence = await world.sequence()
    await world.stage(sequence)
    const { stage } = (await world.run(stageCreate, { input: { sequenceId: sequence.id } })).sequenceStageCreate
    expect(stage).toEqual({
      id: expect.any(String),
      databaseId: expect.any(Number),
      step: 2,
      name: 'Step 2',
      stageType: 'SEND_EMAIL',
      timeValue: 1,
      timeType: 'DAYS',
      active: false,
      email: { subject: '', fromName: 'Ada', fromEmail: 'ada@example.com', html: null, htmlUrl: null },
      action: null,
      smsText: null,
    })
  })

  it('of another type than SEND_EMAIL has no e-mail', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    for (const stageType of ['SEND_SMS', 'ACTION']) {
      const input = { sequenceId: sequence.id, stageType, timeValue: 0, timeType: 'WEEKS', name: stageType }
      const { stage } = (await world.run(stageCreate, { input })).sequenceStageCreate
      expect(stage).toMatchObject({ stageType, timeValue: 0, timeType: 'WEEKS', name: stageType, email: null })
    }
  })

  it('rejects invalid delays and names', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const wrong = [
      { timeValue: -1 },
      { timeValue: 50_001 },
      { name: '' },
      { smsText: 'x' },
      { action: { unsubscribe: true } },
    ]
    for (const input of wrong) {
      const { extensions } = await world.fault(stageCreate, { input: { sequenceId: sequence.id, ...input } })
      expect(extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { [`input.${Object.keys(input)[0] as string}`]: expect.any(Array) },
      })
    }
    expect(await order(world, sequence)).toEqual([])
    const { stages } = (await world.run(sequenceRead, sequence)).sequence
    expect(stages).toEqual([])
    expect(await world.rows('SELECT FROM email WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('is rejected after 500 stages', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.rows(
      `INSERT INTO sequence_stage (account_id, sequence_id, step, name, stage_type, time_value, time_type, created_at)
       SELECT $1, $2, n, 'x', 'SEND_SMS', 1, 86400, now() FROM generate_series(1, 500) n`,
      [world.accountId, sequence.databaseId],
    )
    const { extensions } = await world.fault(stageCreate, { input: { sequenceId: sequence.id } })
    expect(extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.sequenceId': [expect.any(String)] },
    })
  })

  it('gets a unique step if ten are created concurrently', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await Promise.all(Array.from({ length: 10 }, () => world.stage(sequence)))
    expect((await order(world, sequence)).map(([step]) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  it('moves to another step, and the others close the gap', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const stages: Named[] = []
    for (const name of ['a', 'b', 'c', 'd']) stages.push(await world.stage(sequence, { name }))
    const move = async (index: number, step: number) => {
      await world.run(stageUpdate, { input: { id: stages[index]?.id, step } })
      return (await order(world, sequence)).map(([, name]) => name).join('')
    }
    expect(await move(0, 3)).toBe('bcad')
    expect(await move(3, 1)).toBe('dbca')
    expect(await move(3, 1)).toBe('dbca')
    expect(await move(1, 4)).toBe('dcab')
    expect((await order(world, sequence)).map(([step]) => step)).toEqual([1, 2, 3, 4])
    for (const step of [0, -1, 5]) {
      const { extensions } = await world.fault(stageUpdate, { input: { id: stages[0]?.id, step } })
      expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.step': ['must be from 1 to 4'] } })
    }
  })

  it('leaves no gap when it is deleted with its e-mail', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const stages: Named[] = []
    for (const name of ['a', 'b', 'c']) stages.push(await world.stage(sequence, { name, active: true }))
    const answer = await world.run(stageDelete, { id: stages[1]?.id })
    expect(answer.sequenceStageDelete).toEqual({ deletedSequenceStageId: stages[1]?.id, sequence: { stagesCount: 2 } })
    expect(await order(world, sequence)).toEqual([
      [1, 'a'],
      [2, 'c'],
    ])
    expect(await world.rows('SELECT FROM email WHERE account_id = $1', [world.accountId])).toHaveLength(2)
    expect(await world.rows('SELECT FROM document WHERE account_id = $1', [world.accountId])).toHaveLength(2)
    expect((await world.fault(stageDelete, { id: stages[1]?.id })).extensions.code).toBe('NOT_FOUND')
  })
})

describe('activating a stage', () => {
  const activate = (world: World, id: string) => world.fault(stageUpdate, { input: { id, active: true } })

  it('requires HTML and a subject for SEND_EMAIL', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const { id } = await world.stage(sequence)
    expect((await activate(world, id)).extensions.details).toEqual({
      'input.id': [expect.stringMatching(/^subject /), expect.stringMatching(/^html /)],
    })
    await world.run(contentSet, { input: { id, html: '<p>x</p>' } })
    expect((await activate(world, id)).extensions.details).toEqual({ 'input.id': [expect.stringMatching(/^subject /)] })
    await world.run(contentSet, { input: { id, html: '<p>x</p>', subject: 'Hello' } })
    const { stage } = (await world.run(stageUpdate, { input: { id, active: true } })).sequenceStageUpdate
    expect(stage.active).toBe(true)
    // An active stage must stay complete.
    const { extensions } = await world.fault(contentSet, { input: { id, html: '<p>x</p>', subject: '' } })
    expect(extensions.details).toEqual({ 'input.id': [expect.stringMatching(/^subject /)] })
    const off = await world.run(stageUpdate, { input: { id, active: false } })
    expect(off.sequenceStageUpdate.stage.active).toBe(false)
  })

  it('is checked like a campaign, with the blocks of its findings', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const [deleted, stage] = [await world.tag(), await world.stage(sequence)]
    await world.run(stageCreate, { input: { sequenceId: sequence.id, stageType: 'SEND_SMS' } })
    const checks = async () => {
      const query = `query ($id: ID!) { sequence(id: $id) { stages {
        check { canSend findings { code severity message field path } } } } }`
      const { stages } = (await world.run(query, { id: sequence.id })).sequence
      return stages.map(({ check }: { check: object }) => check)
    }
    const error = { severity: 'ERROR', path: null }
    expect(await checks()).toEqual([
      {
        canSend: false,
        findings: [
          { ...error, code: 'NO_SUBJECT', message: 'subject is not set yet.', field: 'SUBJECT' },
          { ...error, code: 'SENDER_MISSING', message: 'fromEmail is not set yet.', field: 'FROM_EMAIL' },
          { ...error, code: 'NO_CONTENT', message: 'html is not set yet.', field: 'HTML' },
        ],
      },
      null,
    ])
    const blocks = [
      { type: 'text', content: { type: 'doc', content: [] }, showTo: { tags: { none: [deleted.id] } } },
      // No contact has the tag yet, but contacts that are enrolled later may.
      { type: 'text', content: { type: 'doc', content: [] }, showTo: { tags: { any: [(await world.tag()).id] } } },
      { type: 'button', text: 'x', href: '' },
      { type: 'footer' },
    ]
    const content = { version: 1, sections: [{ type: 'section', columns: [{ blocks }] }] }
    await world.run(contentSet, {
      input: { id: stage.id, subject: 'Hi {{NICKNAME}}', preheader: 'x', fromEmail: 'ada@example.com', content },
    })
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: deleted.id })
    const [check] = await checks()
    expect(check).toMatchObject({
      canSend: true,
      findings: [
        { code: 'MERGE_FIELD_UNKNOWN', field: 'SUBJECT' },
        { code: 'BLOCK_INCOMPLETE', path: 'sections.0.columns.0.blocks.2' },
        { code: 'CONDITION_INVALID', path: 'sections.0.columns.0.blocks.0' },
      ],
    })
  })

  it('names the stage that is not complete', async () => {
    const world = await newWorld()
    const { id } = await world.stage(await world.sequence(), { name: 'Tag it', stageType: 'ACTION' })
    expect((await activate(world, id)).message).toContain('“Tag it”')
  })

  it('requires a text for SEND_SMS and an action for ACTION', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const sms = await world.stage(sequence, { stageType: 'SEND_SMS' })
    expect((await activate(world, sms.id)).extensions.details).toEqual({ 'input.smsText': expect.any(Array) })
    await world.run(stageUpdate, { input: { id: sms.id, smsText: 'Hi', active: true } })
    const action = await world.stage(sequence, { stageType: 'ACTION' })
    expect((await activate(world, action.id)).extensions.details).toEqual({ 'input.action': expect.any(Array) })
    await world.run(stageUpdate, { input: { id: action.id, action: { unsubscribe: true }, active: true } })
  })
})

describe('the action of a stage', () => {
  it('has one of six kinds', async () => {
    const world = await newWorld()
    const [sequence, tag] = [await world.sequence(), await world.tag()]
    const { id } = await world.stage(sequence, { stageType: 'ACTION' })
    const good = [
      [{ addTagId: tag.id }, { kind: 'ADD_TAG', tag: { databaseId: tag.databaseId } }],
      [{ removeTagId: String(tag.databaseId) }, { kind: 'REMOVE_TAG', tag: { databaseId: tag.databaseId } }],
      [{ addSequenceId: sequence.id }, { kind: 'ENROL', sequence: { databaseId: sequence.databaseId } }],
      [{ removeSequenceId: sequence.id }, { kind: 'UNENROL', sequence: { databaseId: sequence.databaseId } }],
      [{ unsubscribe: true }, { kind: 'UNSUBSCRIBE' }],
      [{ webhookUrl: 'https://example.com/hook?a=b' }, { kind: 'WEBHOOK', url: 'https://example.com/hook?a=b' }],
    ] as const
    for (const [action, shown] of good) {
      await world.run(stageUpdate, { input: { id, action } })
      const { stages } = (await world.run(sequenceRead, sequence)).sequence
      expect(stages[0].action).toEqual({ url: null, tag: null, sequence: null, ...shown })
    }
    const wrong = [
      [{ addTagId: 'nonsense' }, 'action.addTagId'],
      [{ removeSequenceId: tag.id }, 'action.removeSequenceId'],
      [{ unsubscribe: false }, 'action.unsubscribe'],
      [{ webhookUrl: 'ftp://example.com' }, 'action.webhookUrl'],
      [{ webhookUrl: 'https://' }, 'action.webhookUrl'],
      [{ webhookUrl: 'javascript:alert(1)' }, 'action.webhookUrl'],
      [{ webhookUrl: 'https://me:pw@example.com/' }, 'action.webhookUrl'],
      [{ webhookUrl: 'https://example.com/#part' }, 'action.webhookUrl'],
      [{ webhookUrl: 'http://127.0.0.1:5432/' }, 'action.webhookUrl'],
      [{ webhookUrl: 'http://169.254.169.254/latest/meta-data' }, 'action.webhookUrl'],
      [{ webhookUrl: 'http://[::1]/' }, 'action.webhookUrl'],
    ] as const
    for (const [action, field] of wrong) {
      const { extensions } = await world.fault(stageUpdate, { input: { id, action } })
      expect(extensions, JSON.stringify(action)).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { [`input.${field}`]: expect.any(Array) },
      })
    }
    for (const action of [{}, { addTagId: tag.id, webhookUrl: 'https://example.com' }, { addTagId: null }]) {
      expect((await world.fault(stageUpdate, { input: { id, action } })).message).toMatch(/one key|non-null/)
    }
    for (const action of [{ addTagId: 2 ** 31 - 1 }, { addSequenceId: 0 }]) {
      expect((await world.fault(stageUpdate, { input: { id, action } })).extensions.code).toBe('NOT_FOUND')
    }
  })

  it('returns null for a deleted tag or sequence', async () => {
    const world = await newWorld()
    const [sequence, tag] = [await world.sequence(), await world.tag()]
    await world.stage(sequence, { stageType: 'ACTION', action: { addTagId: tag.id } })
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', tag)
    const { stages } = (await world.run(sequenceRead, sequence)).sequence
    expect(stages[0].action).toEqual({ kind: 'ADD_TAG', tag: null, sequence: null, url: null })
  })
})

describe("a stage's content", () => {
  it('is stored unchanged, under a stable URL', async () => {
    const world = await newWorld()
    const { id } = await world.stage(await world.sequence())
    const html = '<h1>Grüße</h1>\n<script>alert("{{FIRST_NAME}}")</script>'
    const first = (
      await world.run(contentSet, { input: { id, html, subject: 'S', fromName: 'Ada', fromEmail: 'a@example.com' } })
    ).sequenceStageContentSet.email
    expect(first).toMatchObject({
      html,
      text: null,
      textUrl: null,
      subject: 'S',
      fromName: 'Ada',
      fromEmail: 'a@example.com',
    })
    const second = (await world.run(contentSet, { input: { id, html: '<p>2</p>', text: 'two' } }))
      .sequenceStageContentSet.email
    expect(second).toMatchObject({ html: '<p>2</p>', text: 'two', subject: 'S', htmlUrl: first.htmlUrl })
    const third = (await world.run(contentSet, { input: { id, subject: 'T' } })).sequenceStageContentSet.email
    expect(third).toMatchObject({ html: '<p>2</p>', text: 'two', subject: 'T', fromName: 'Ada' })
    expect(await (await fetch(second.htmlUrl)).text()).toBe('<p>2</p>')
    expect(await (await fetch(second.textUrl)).text()).toBe('two')
  })

  it('returns STAGE_NOT_EMAIL for other types', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    for (const stageType of ['SEND_SMS', 'ACTION']) {
      const { id } = await world.stage(sequence, { stageType })
      expect((await world.fault(contentSet, { input: { id, html: 'x' } })).extensions.code).toBe('STAGE_NOT_EMAIL')
    }
    const { id } = await world.stage(sequence)
    await world.rows('UPDATE sequence_stage SET email_id = NULL WHERE account_id = $1', [world.accountId])
    expect((await world.fault(contentSet, { input: { id, html: 'x' } })).extensions.code).toBe('STAGE_NOT_EMAIL')
  })

  it('rejects header injection and an invalid sender address', async () => {
    const world = await newWorld()
    const { id } = await world.stage(await world.sequence())
    const wrong = { html: '', subject: 'a\r\nBcc: b@example.com', fromName: 'a\nb', fromEmail: 'nobody' }
    for (const [field, value] of Object.entries(wrong)) {
      const { extensions } = await world.fault(contentSet, { input: { id, html: 'x', [field]: value } })
      expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [`input.${field}`]: expect.any(Array) } })
    }
    expect(await world.rows('SELECT FROM document WHERE account_id = $1', [world.accountId])).toEqual([])
  })
})
