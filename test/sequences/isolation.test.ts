// @module-tag rows
import { describe, expect, it } from 'vitest'
import { everything } from '../support/everything.ts'
import { newWorld, type World } from '../support/world.ts'

async function inhabited(world: World) {
  const [contact, tag, sequence] = [await world.contact(), await world.tag(), await world.sequence()]
  const stage = await world.stage(sequence, { active: true })
  const enrolment = await world.subscribe(contact, sequence)
  const { sequenceStage } = await world.run(
    'query ($id: ID!) { sequenceStage(id: $id) { email { id databaseId } } }',
    stage,
  )
  return { contact, tag, sequence, stage, enrolment, email: sequenceStage.email }
}

type Things = Awaited<ReturnType<typeof inhabited>>
type Form = (thing: { id: string; databaseId: number }) => string | number

/** Every mutation of the module with each of its ids replaced by one of another account. */
function trespasses(own: Things, foreign: Things, form: Form): [string, Record<string, unknown>, string][] {
  const mine = { contact: { id: own.contact.id }, sequenceId: own.sequence.id }
  const act = (action: object) => ({ id: own.stage.id, action })
  const [contact, sequence, stage] = [form(foreign.contact), form(foreign.sequence), form(foreign.stage)]
  return [
    ['sequenceUpdate', { id: sequence, name: 'stolen' }, 'sequence { id }'],
    ['sequenceDelete', { id: sequence }, 'deletedSequenceId'],
    ['sequenceStageCreate', { sequenceId: sequence }, 'stage { id }'],
    [
      'sequenceStageCreate',
      { sequenceId: own.sequence.id, stageType: 'ACTION', action: { addTagId: form(foreign.tag) } },
      'stage { id }',
    ],
    ['sequenceStageUpdate', { id: stage, name: 'stolen' }, 'stage { id }'],
    ['sequenceStageUpdate', { id: stage, step: 1, active: false }, 'stage { id }'],
    ['sequenceStageUpdate', act({ removeTagId: form(foreign.tag) }), 'stage { id }'],
    ['sequenceStageUpdate', act({ addSequenceId: sequence }), 'stage { id }'],
    ['sequenceStageDelete', { id: stage }, 'deletedSequenceStageId'],
    ['sequenceStageContentSet', { id: stage, html: 'stolen' }, 'email { id }'],
    ...['sequenceEnrol', 'sequenceUnenrol'].flatMap((name): [string, Record<string, unknown>, string][] => [
      [name, { ...mine, sequenceId: sequence }, 'contactDatabaseId'],
      [name, { ...mine, contact: { id: contact } }, 'contactDatabaseId'],
      [name, { ...mine, contact: { email: foreign.contact.email } }, 'contactDatabaseId'],
      [
        name,
        { ...mine, contact: { idAndEmail: { id: own.contact.id, email: foreign.contact.email } } },
        'contactDatabaseId',
      ],
    ]),
  ]
}

const forms: [string, Form][] = [
  ['global id', ({ id }) => id],
  ['integer', ({ databaseId }) => databaseId],
]

describe.each(forms)('data of another account, by %s', (_name, form) => {
  it('cannot be changed or linked', async () => {
    const victim = await newWorld()
    const world = await victim.other()
    const [foreign, own] = [await inhabited(victim), await inhabited(world)]
    // The action fits the stage, so that only the foreign tag can be the reason of the error.
    await world.rows("UPDATE sequence_stage SET stage_type = 'ACTION', active = false WHERE account_id = $1", [
      world.accountId,
    ])
    const before = await Promise.all([everything(victim), everything(world)])
    for (const [name, input, select] of trespasses(own, foreign, form)) {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`
      const { extensions } = await world.fault(`mutation ($input: ${type}) { ${name}(input: $input) { ${select} } }`, {
        input,
      })
      expect(extensions.code, `${name} ${JSON.stringify(input)}`).toBe('NOT_FOUND')
    }
    expect(await Promise.all([everything(victim), everything(world)])).toEqual(before)
  })

  it('cannot be read', async () => {
    const victim = await newWorld()
    const world = await victim.other()
    const foreign = await inhabited(victim)
    const ids = { sequence: form(foreign.sequence), stage: form(foreign.stage) }
    const document =
      'query ($sequence: ID!, $stage: ID!) { sequence(id: $sequence) { id } sequenceStage(id: $stage) { id } sequences { totalCount } }'
    expect(await world.run(document, ids)).toEqual({
      sequence: null,
      sequenceStage: null,
      sequences: { totalCount: 0 },
    })
    const nodes = Object.values(foreign).map(({ id }) => id)
    const { nodes: found } = await world.run('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: nodes })
    expect(found).toEqual(nodes.map(() => null))
    const own = await victim.run('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: nodes })
    expect(own.nodes).toEqual(nodes.map((id) => ({ id })))
  })
})

describe('a key', () => {
  it('can do only what its scopes allow', async () => {
    const world = await newWorld()
    const { contact, sequence, stage } = await inhabited(world)
    const read = await world.key({ scopes: ['contacts:read'] })
    const ask = (document: string, key: string) =>
      world.ask(document, { id: contact.id, sequence: sequence.id, stage: stage.id }, { key })
    const forbidden = (path: unknown[]) => [
      {
        ...{ message: expect.any(String), locations: expect.anything(), path },
        extensions: { code: 'FORBIDDEN', scope: expect.any(String) },
      },
    ]

    const shown = await ask(
      'query ($id: ID!) { contact(ref: { id: $id }) { sequences { databaseId name type stagesCount } } }',
      read,
    )
    expect(shown.body.errors).toBeUndefined()
    for (const field of ['enrolments { totalCount }', 'stats { sent }']) {
      const { body } = await ask(`query ($id: ID!) { contact(ref: { id: $id }) { email ${field} } }`, read)
      const [name] = field.split(' ')
      expect(body).toMatchObject({
        data: { contact: { email: contact.email, [name as string]: null } },
        errors: forbidden(['contact', name]),
      })
    }
    for (const field of ['stages { name }', 'enrolments { totalCount }', 'stats { sent }', 'activeContacts']) {
      const { body } = await ask(`query ($id: ID!) { contact(ref: { id: $id }) { sequences { name ${field} } } }`, read)
      expect(body.errors).toEqual(forbidden(['contact', 'sequences', 0, field.split(' ')[0]]))
    }

    const sequences = await world.key({ scopes: ['sequences:read'] })
    const { body } = await ask(
      'query ($sequence: ID!) { sequence(id: $sequence) { name contacts { totalCount } stages { email { html } } } }',
      sequences,
    )
    expect(body).toMatchObject({
      data: { sequence: { contacts: null, stages: [{ email: { html: '<p>Hello</p>' } }] } },
      errors: forbidden(['sequence', 'contacts']),
    })
    const people = await ask(
      'query ($sequence: ID!) { sequence(id: $sequence) { enrolments { nodes { state contact { email } } } } }',
      sequences,
    )
    expect(people.body.errors).toEqual(forbidden(['sequence', 'enrolments', 'nodes', 0, 'contact']))

    const write = await world.key({ scopes: ['sequences:write'] })
    const subscribed = await ask(
      'mutation ($id: ID!, $sequence: ID!) { sequenceEnrol(input: { contact: { id: $id }, sequenceId: $sequence }) { contactDatabaseId enrolment { state } contact { email } } }',
      write,
    )
    expect(subscribed.body).toMatchObject({
      data: { sequenceEnrol: { contactDatabaseId: contact.databaseId, enrolment: null, contact: null } },
      errors: ['enrolment', 'contact'].flatMap((field) => forbidden(['sequenceEnrol', field])),
    })
    expect((await ask('{ sequences { totalCount } }', write)).body.errors).toMatchObject([
      { extensions: { code: 'FORBIDDEN' } },
    ])
    for (const key of [read, sequences]) {
      const { body } = await ask('mutation { sequenceCreate(input: { name: "x" }) { sequence { id } } }', key)
      expect(body.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
    }
  })
})
