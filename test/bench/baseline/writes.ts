import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import pg from 'pg'
import getRawBody from 'raw-body'
import { tellUsage } from '../usage.ts'

// A hand-written server for the writes of `writes/requests.ts`: keys in a map, prepared statements, one transaction for each
// request. It stores the rows that Campanile stores, with their events, figures and audit entries, and checks nothing.

const [url, key, accountId] = process.argv.slice(2) as [string, string, string]
const pool = new pg.Pool({ connectionString: url, max: 10 })
const accounts = new Map([[hashOf(key), Number(accountId)]])

type Body = Record<string, string> & { questionIds: number[]; formId: number }
type Run = <Row extends object>(name: string, text: string, values: unknown[]) => Promise<Row[]>
interface Id {
  id: number
}

const koa = new Koa()
koa.use(async (ctx) => {
  const account = accounts.get(hashOf(ctx.get('authorization').slice('Bearer '.length)))
  const operation = operations[ctx.path.slice(1)]
  if (account === undefined || !operation) {
    ctx.status = 401
    return
  }
  const { variables } = JSON.parse(await getRawBody(ctx.req, { encoding: 'utf-8' })) as { variables: Body }
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const run: Run = async (name, text, values) => (await client.query({ name, text, values })).rows as never
    const data = await operation(run, account, variables, new Date())
    await client.query('COMMIT')
    ctx.type = 'application/json; charset=utf-8'
    ctx.body = JSON.stringify({ data })
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
})
const server = koa.listen(0, '127.0.0.1', () => tellUsage((server.address() as AddressInfo).port))

const contactColumns = `id, email, first_name, last_name, phone, company_name, city, country, email_marketing, gdpr, created_at,
  updated_at, last_active_at`

const operations: Record<string, (run: Run, account: number, body: Body, now: Date) => Promise<object>> = {
  'new-contact': async (run, account, { email, firstName, lastName, city }, now) => {
    const [contact] = await run<Id>(
      'insert contact',
      `INSERT INTO contact (account_id, email, first_name, last_name, city, email_marketing, gdpr, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, false, false, $6, $6)
       ON CONFLICT (account_id, address_key(email)) DO NOTHING RETURNING ${contactColumns}`,
      [account, email, firstName, lastName, city, now],
    )
    const id = contact?.id as number
    const changes = await recordChange(run, account, id, now, { kind: 'CREATED' })
    await count(run, account, now, ['NEW_CONTACTS'], [''], ['1'])
    await emit(run, account, 'contact.created', { contactId: id, changes }, now)
    await run(
      'quota',
      `INSERT INTO quota_usage AS q (account_id, slot, period, used) VALUES ($1, 'contacts', '', 1)
       ON CONFLICT (account_id, slot, period) DO UPDATE SET used = q.used + 1 RETURNING used`,
      [account],
    )
    await audit(run, account, 'contactUpsert', ['Contact', id], now)
    return { created: true, contact }
  },
  'changed-contact': async (run, account, { email, firstName }, now) => {
    const before = await lockContact(run, account, email as string)
    const [contact] = await run<Id>(
      'update contact',
      `UPDATE contact SET first_name = $3, updated_at = $4 WHERE account_id = $1 AND id = $2 RETURNING ${contactColumns}`,
      [account, before.id, firstName, now],
    )
    const changes = await recordChange(run, account, before.id, now, {
      ...{ kind: 'FIELD', field: 'FIRST_NAME' },
      ...{ oldValue: before.first_name, newValue: firstName },
    })
    await emit(run, account, 'contact.updated', { contactId: before.id, changes }, now)
    await audit(run, account, 'contactUpsert', ['Contact', before.id], now)
    return { created: false, contact }
  },
  tag: async (run, account, { email, tagId }, now) => {
    const { id } = await lockContact(run, account, email as string)
    const [tag] = await run<Id>('tag', 'SELECT id, name FROM tag WHERE account_id = $1 AND id = $2 FOR KEY SHARE', [
      ...[account, tagId],
    ])
    const added = await run(
      'add tag',
      `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING tag_id`,
      [account, id, tagId, now],
    )
    if (added.length > 0) {
      const changes = await recordChange(run, account, id, now, { kind: 'TAG_ADDED', tagId })
      await count(run, account, now, ['TAG_CONTACTS'], [`Tag:${tagId}`], ['1'])
      await emit(run, account, 'contact.tag_added', { contactId: id, tagId: Number(tagId), changes }, now)
    }
    await audit(run, account, 'contactTagAdd', ['Contact', id], now)
    return { contact: { id }, tag }
  },
  enrolment: async (run, account, { email, sequenceId }, now) => {
    const { id } = await lockContact(run, account, email as string)
    const [stage] = await run<Id & { time_value: number }>(
      'stage',
      `SELECT g.id, g.time_value FROM sequence s JOIN sequence_stage g ON g.account_id = s.account_id AND g.sequence_id = s.id
       WHERE s.account_id = $1 AND s.id = $2 ORDER BY g.step LIMIT 1 FOR SHARE OF s`,
      [account, sequenceId],
    )
    const [enrolment] = await run<Id>(
      'enrol',
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids, next_stage_id, due_at)
       VALUES ($1, $2, $3, $4, '{}', $5, $6)
       ON CONFLICT (account_id, contact_id, sequence_id) WHERE state = 'ACTIVE' DO NOTHING RETURNING id`,
      [account, id, sequenceId, now, stage?.id, new Date(now.getTime() + 86_400_000)],
    )
    if (enrolment) {
      await emit(run, account, 'sequence.subscribed', { contactId: id, sequenceId: Number(sequenceId) }, now)
      await countParts(run, account, `Sequence:${sequenceId}`, ['SEQUENCE_ENROLMENTS'], [`ACTIVE:${stage?.id}`])
    }
    await audit(run, account, 'sequenceEnrol', ['Contact', id], now)
    return { enrolment: enrolment ?? null }
  },
  submission: async (run, account, { formId, email, questionIds, answer }, now) => {
    const contact = await lockContact(run, account, email as string)
    const [submission] = await run<Id>(
      'submission',
      `INSERT INTO submission (account_id, form_id, contact_id, status, score, bucket, started_at, completed_at, created_at, updated_at)
       VALUES ($1, $2, $3, 'COMPLETED', 2.5, 'WARM', $4, $4, $4, $4) RETURNING id, status, score`,
      [account, formId, contact.id, now],
    )
    await run(
      'answers',
      `INSERT INTO answer (account_id, submission_id, question_id, version, "values", search, score, created_at, updated_at)
       SELECT $1, $2, q, 1, ARRAY[v], lower(v), s, $6, $6 FROM unnest($3::int[], $4::text[], $5::numeric[]) x(q, v, s)`,
      [account, submission?.id, questionIds, [email, answer], ['0', '2.5'], now],
    )
    await countParts(...([run, account, `Form:${formId}`, ['FORM_SUBMISSIONS', 'FORM_CHOICES']] as const), [
      `completed:${questionIds.join()}`,
      `${questionIds[1]}:${answer}`,
    ])
    await recordActivity(run, account, contact.id, now)
    const figures = ['SUBMISSIONS_STARTED', 'SUBMISSIONS_STARTED', 'SUBMISSIONS_COMPLETED', 'SUBMISSIONS_COMPLETED']
    const objects = ['', `Form:${formId}`, '', `Form:${formId}`]
    await count(run, account, now, figures, objects, ['1', '1', '1', '1'])
    const data = { submissionId: submission?.id, formId, status: 'COMPLETED', bucket: 'WARM' }
    await emit(run, account, 'form_submission.started', data, now)
    await emit(run, account, 'form_submission.completed', data, now)
    await audit(run, account, 'submissionSave', ['Submission', submission?.id as number], now)
    return { submission }
  },
  order: async (run, account, { idOrder, email, name, unitPrice, quantity, vatRate }, now) => {
    const contact = await lockContact(run, account, email as string)
    const [customer] = await run<Id>(
      'customer',
      `INSERT INTO customer AS u (account_id, email, contact_id, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (account_id, address_key(email)) DO UPDATE SET contact_id = coalesce(u.contact_id, excluded.contact_id) RETURNING id`,
      [account, email, contact.id, now],
    )
    const [order] = await run<Id>(
      'order',
      `INSERT INTO "order" (account_id, id_order, customer_id, status, amount, currency, created_at, updated_at, completed_at, type)
       VALUES ($1, $2, $3, 'COMPLETED', 30, 'EUR', $4, $4, $4, '') RETURNING id, amount`,
      [account, idOrder, customer?.id, now],
    )
    await run(
      'line',
      `INSERT INTO order_line (account_id, order_id, position, name, quantity, unit_price, vat_rate, amount, vat)
       VALUES ($1, $2, 1, $3, $4, $5, $6, 25, 5)`,
      [account, order?.id, name, quantity, unitPrice, vatRate],
    )
    await count(run, account, now, ['ORDERS', 'REVENUE'], ['', ''], ['1', '30'], 'EUR')
    await recordActivity(run, account, contact.id, now)
    await emit(run, account, 'order.created', { orderId: order?.id }, now)
    await emit(run, account, 'order.completed', { orderId: order?.id }, now)
    await audit(run, account, 'orderRecord', ['Order', order?.id as number], now)
    return { order }
  },
}

async function lockContact(run: Run, account: number, email: string): Promise<Id & { first_name: string }> {
  const [contact] = await run<Id & { first_name: string }>(
    'lock contact',
    `SELECT ${contactColumns} FROM contact WHERE account_id = $1 AND address_key(email) = address_key($2) FOR UPDATE`,
    [account, email],
  )
  if (!contact) throw new Error(`no contact ${email}`)
  return contact
}

async function recordChange(
  ...[run, account, contactId, now, { kind, field = null, oldValue = null, newValue = null, tagId = null }]: [
    ...[run: Run, account: number, contactId: number, now: Date],
    { kind: string } & Record<string, string | null | undefined>,
  ]
): Promise<string[]> {
  const rows = await run<{ id: string }>(
    'change',
    `INSERT INTO contact_change (account_id, contact_id, created_at, kind, actor, actor_id, field, old_value, new_value, tag_id)
     VALUES ($1, $2, $3, $4, 'API_KEY', 1, $5, $6, $7, $8) RETURNING id`,
    [account, contactId, now, kind, field, oldValue, newValue, tagId],
  )
  return rows.map(({ id }) => id)
}

async function emit(run: Run, account: number, type: string, data: object, now: Date): Promise<void> {
  const text = 'INSERT INTO outbox_event (account_id, type, data, created_at) VALUES ($1, $2, $3, $4)'
  await run('event', text, [account, type, data, now])
}

async function count(
  ...[run, account, now, figures, objects, values, currency = '']: [
    ...[
      run: Run,
      account: number,
      now: Date,
      figures: string[],
      objects: string[],
      values: string[],
      currency?: string,
    ],
  ]
): Promise<void> {
  await run(
    'figures',
    `INSERT INTO figure_delta (account_id, figure, object, currency, at, value)
     SELECT $1, f, o, $2, date_bin('15 minutes', $3, timestamptz 'epoch'), v
     FROM unnest($4::text[], $5::text[], $6::numeric[]) x(f, o, v)`,
    [account, currency, now, figures, objects, values],
  )
}

async function countParts(
  ...[run, account, object, figures, parts]: [Run, number, string, readonly string[], readonly string[]]
): Promise<void> {
  await run(
    'parts',
    `INSERT INTO figure_part_delta (account_id, figure, object, part, at, value)
     SELECT $1, f, $2, p, timestamptz 'epoch', 1 FROM unnest($3::text[], $4::text[]) x(f, p)`,
    [account, object, figures, parts],
  )
}

async function recordActivity(run: Run, account: number, contactId: number, now: Date): Promise<void> {
  await run(
    'activity',
    `UPDATE contact SET last_active_at = $3::timestamptz WHERE account_id = $1 AND id = $2
     AND (last_active_at IS NULL OR last_active_at < $3::timestamptz - interval '1 hour')`,
    [account, contactId, now],
  )
}

async function audit(run: Run, account: number, action: string, object: [string, number], now: Date): Promise<void> {
  await run(
    'audit',
    `INSERT INTO audit_entry (account_id, action, key_id, address, objects, fields, created_at)
     VALUES ($1, $2, 1, '127.0.0.1', $3, '{email}', $4)`,
    [account, action, [Buffer.from(object.join(':')).toString('base64url')], now],
  )
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
