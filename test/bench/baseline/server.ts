import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import pg from 'pg'
import getRawBody from 'raw-body'
import { uncountedPath } from '../questions.ts'
import { tellUsage } from '../usage.ts'

// A hand-written server for these two requests only: keys in a map, minimal statements, plain objects.

const [url, key, accountId] = process.argv.slice(2) as [string, string, string]
const pool = new pg.Pool({ connectionString: url, max: 10 })
const accounts = new Map([[hashOf(key), Number(accountId)]])

/** Prepared statements by name, so that PostgreSQL parses each once per connection. */
const [contacts, count, tagsOf, fieldsOf] = await Promise.all(
  ['contacts', 'contacts-count', 'tags-of-contacts', 'fields-of-contacts'].map(read),
)

interface ContactRow {
  id: number
  email: string
  first_name: string
  last_name: string
  email_marketing: boolean
  gdpr: boolean
  created_at: Date
}

const koa = new Koa()
koa.use(async (ctx) => {
  const account = accounts.get(hashOf(ctx.get('authorization').slice('Bearer '.length)))
  if (account === undefined) {
    ctx.status = 401
    return
  }
  const answer = ctx.method === 'POST' ? await graph(account, ctx) : await list(account, ctx)
  ctx.type = 'application/json; charset=utf-8'
  ctx.body = JSON.stringify(answer)
})
const server = koa.listen(0, '127.0.0.1', () => tellUsage((server.address() as AddressInfo).port))

/** The REST response: the page, and the total if the path requests it. */
async function list(account: number, ctx: Koa.Context): Promise<unknown> {
  const query = new URLSearchParams(ctx.querystring)
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 50)]
  const reading = rows<ContactRow>(contacts, [account, perPage, (page - 1) * perPage])
  const counting = ctx.path !== uncountedPath ? rows<{ total: number }>(count, [account]) : undefined
  const data = (await reading).map((row) => ({
    id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    email_marketing: row.email_marketing,
    gdpr: row.gdpr,
    created_at: `${row.created_at.toISOString().slice(0, -1)}000Z`,
  }))
  if (!counting) return { success: true, data }
  const total = (await counting)[0]?.total ?? 0
  const meta = { current_page: page, last_page: Math.max(1, Math.ceil(total / perPage)), per_page: perPage, total }
  return { success: true, data, meta }
}

/** The response of GraphQL without GraphQL: the document is not parsed. */
async function graph(account: number, ctx: Koa.Context): Promise<unknown> {
  const { variables } = JSON.parse(await getRawBody(ctx.req, { encoding: 'utf-8' })) as { variables: { first: number } }
  const found = await rows<ContactRow>(contacts, [account, variables.first, 0])
  const ids = found.map((row) => row.id)
  const [tags, fields] = await Promise.all([
    rows<{ id: number; name: string; contact_ids: number[] }>(tagsOf, [account, ids]),
    rows<{ contact_id: number; label: string; value: string }>(fieldsOf, [account, ids]),
  ])
  const nodes = new Map(
    found.map((row) => [
      row.id,
      {
        databaseId: row.id,
        email: row.email,
        firstName: row.first_name,
        lastName: row.last_name,
        emailMarketing: row.email_marketing,
        gdpr: row.gdpr,
        createdAt: row.created_at.toISOString(),
        tags: [] as { databaseId: number; name: string }[],
        customFields: [] as { label: string; value: string }[],
      },
    ]),
  )
  for (const { contact_ids, id, name } of tags) {
    for (const contactId of contact_ids) nodes.get(contactId)?.tags.push({ databaseId: id, name })
  }
  for (const { contact_id, label, value } of fields) nodes.get(contact_id)?.customFields.push({ label, value })
  return { data: { contacts: { nodes: [...nodes.values()] } } }
}

async function rows<Row extends object>(statement: Statement | undefined, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ ...(statement as Statement), values })).rows
}

interface Statement {
  name: string
  text: string
}

async function read(name: string): Promise<Statement> {
  return { name, text: await readFile(new URL(`${name}.sql`, import.meta.url), 'utf8') }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
