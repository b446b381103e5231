import type pg from 'pg'
import { openDatabase } from '../../../src/db/client.ts'
import { newCtx } from '../../../src/db/context.ts'
import { forms } from '../../../src/forms/index.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { newLog } from '../../../src/kernel/telemetry/log.ts'
import { sequences, stages } from '../../../src/sequences/index.ts'
import { newCommandSystem } from '../../../src/server/processes/command-system.ts'
import type { FilledDatabase } from '../database.ts'
import { graph } from '../questions.ts'
import '../../../src/server/ports.ts'

/** One kind of write: its request to Campanile, and the one to the server of bare SQL. Both change the same rows. */
export interface Write {
  readonly name: string
  readonly ours: string
  readonly theirs: string
}

/** Creates what the writes refer to, and returns them. The account must have 20,000 contacts. */
export async function prepareWrites({ url, key, accountId }: FilledDatabase): Promise<Write[]> {
  const { form, emailQuestion, choiceQuestion } = await createObjects(url, accountId)
  // Each `#` is a random digit: one of 10,000 contacts, of 100 sequences and 1,000 tags, or a new address.
  const contact = 'person1####@example.com'
  const write = (name: string, query: string, input: object, values: object): Write => ({
    name,
    ours: graph(`mutation ($input: ${query}`, { input }, key),
    theirs: post(`/${name.replaceAll(' ', '-')}`, values, key),
  })
  return [
    write(
      'new contact',
      'ContactUpsertInput!) { contactUpsert(input: $input) { created contact { databaseId email firstName } } }',
      { email: 'new############@example.com', firstName: 'Ada', lastName: 'Lovelace', city: 'Paris' },
      { email: 'new############@example.com', firstName: 'Ada', lastName: 'Lovelace', city: 'Paris' },
    ),
    write(
      'changed contact',
      'ContactUpsertInput!) { contactUpsert(input: $input) { created contact { databaseId email firstName } } }',
      { email: contact, firstName: 'Grace ########' },
      { email: contact, firstName: 'Grace ########' },
    ),
    write(
      'tag',
      'ContactTagAddInput!) { contactTagAdd(input: $input) { contact { databaseId } tag { databaseId name } } }',
      { contact: { email: contact }, tagId: '10###' },
      { email: contact, tagId: '10###' },
    ),
    write(
      'enrolment',
      'SequenceEnrolInput!) { sequenceEnrol(input: $input) { enrolment { databaseId } } }',
      { contact: { email: contact }, sequenceId: '100##' },
      { email: contact, sequenceId: '100##' },
    ),
    write(
      'submission',
      'SubmissionSaveInput!) { submissionSave(input: $input) { submission { databaseId status score } } }',
      {
        formId: String(form),
        complete: true,
        answers: [
          { questionId: String(emailQuestion), value: contact },
          { questionId: String(choiceQuestion), value: 'yes' },
        ],
      },
      { formId: form, email: contact, questionIds: [emailQuestion, choiceQuestion], answer: 'yes' },
    ),
    write(
      'order',
      'OrderRecordInput!) { orderRecord(input: $input) { order { databaseId amount { amount } } } }',
      {
        idOrder: 'order ############',
        status: 'COMPLETED',
        currency: 'EUR',
        customer: { email: contact },
        lines: [{ name: 'A book', unitPrice: '12.50', quantity: 2, vatRate: '20' }],
      },
      { idOrder: 'order ############', email: contact, name: 'A book', unitPrice: '12.50', quantity: 2, vatRate: '20' },
    ),
  ]
}

function post(path: string, values: object, key: string): string {
  return graph('', values, key).replace('POST /graphql', `POST ${path}`)
}

async function createObjects(url: string, accountId: number) {
  const log = newLog('error')
  const database = openDatabase({ url, directUrl: url, poolSize: 2, log })
  try {
    const ctx = newCtx(newCommandSystem({ db: database.db, log, clock: systemClock }), { accountId })
    await restart(database.pool, 'tag', 10_000)
    await database.pool.query(
      `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'new ' || n, now() FROM generate_series(0, 999) n`,
      [accountId],
    )
    await restart(database.pool, 'sequence', 10_000)
    for (let number = 0; number < 100; number += 1) {
      const { sequence } = await sequences.create(ctx, { name: `Welcome ${number}` })
      await stages.create(ctx, { sequenceId: sequence.id, timeValue: 30 })
    }
    const { form } = await forms.create(ctx, {
      name: 'Quiz',
      questions: [
        { label: 'E-mail', type: 'EMAIL', required: true },
        { label: 'Do you sell?', type: 'YES_NO', points: [{ answer: 'yes', points: '2.5' }] },
      ],
    })
    await forms.publish(ctx, { id: form.id })
    const { rows: questions } = await database.pool.query<{ id: number }>(
      'SELECT id FROM question WHERE account_id = $1 AND form_id = $2 ORDER BY id',
      [accountId, form.id],
    )
    const [emailQuestion, choiceQuestion] = questions.map(({ id }) => id)
    return { form: form.id, emailQuestion, choiceQuestion }
  } finally {
    await database.close()
  }
}

async function restart(pool: pg.Pool, table: string, id: number): Promise<void> {
  await pool.query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${id}, false)`)
}
