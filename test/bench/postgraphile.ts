// node test/bench/postgraphile.ts   compares nested lists with PostGraphile on the same database
import { deepStrictEqual } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { compare } from './compare.ts'
import { type FilledDatabase, fillDatabase } from './database.ts'
import { type Loader, type Server, startLoader, startServer } from './processes.ts'
import { graph } from './questions.ts'
import { newReport } from './report.ts'

/** The same rows in the words of both schemas. `rows` returns the part of a response that must be equal. */
interface Comparison {
  readonly name: string
  readonly least: number
  readonly ours: string
  readonly theirs: string
  readonly rows?: (data: Data) => unknown
}

// biome-ignore lint/suspicious/noExplicitAny: the shape depends on the document
type Data = any

const contact = 'email firstName lastName emailMarketing gdpr createdAt'
const newest = (accountId: number, first: number) =>
  `allContacts(condition: { accountId: ${accountId} }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: ${first})`

const comparisons = (accountId: number): readonly Comparison[] => [
  { name: '{ __typename }', least: 0.9, ours: '{ __typename }', theirs: '{ __typename }' },
  {
    name: '50 contacts',
    least: 1.5,
    ours: `{ contacts(first: 50) { nodes { databaseId ${contact} } } }`,
    theirs: `{ contacts: ${newest(accountId, 50)} { nodes { databaseId: rowId ${contact} } } }`,
    rows: ({ contacts }) => contacts.nodes.map(({ email }: Data) => email),
  },
  {
    name: '50 contacts × 5 tags',
    least: 3,
    ours: `{ contacts(first: 50) { nodes { databaseId ${contact} tags { databaseId name } } } }`,
    theirs: `{ contacts: ${newest(accountId, 50)} { nodes { databaseId: rowId ${contact}
      tags: contactTagsByAccountIdAndContactId { nodes { tag: tagByAccountIdAndTagId { databaseId: rowId name } } } } } }`,
    rows: ({ contacts }) =>
      contacts.nodes.map(({ email, tags }: Data) => [
        email,
        (tags.nodes?.map(({ tag }: Data) => tag.name) ?? tags.map(({ name }: Data) => name)).sort(),
      ]),
  },
  {
    name: '50 contacts × (tags, fields with their definition)',
    least: 3,
    ours: `{ contacts(first: 50) { nodes { databaseId ${contact} tags { databaseId name }
      customFields { value customField { databaseId name type } } } } }`,
    theirs: `{ contacts: ${newest(accountId, 50)} { nodes { databaseId: rowId ${contact}
      tags: contactTagsByAccountIdAndContactId { nodes { tag: tagByAccountIdAndTagId { databaseId: rowId name } } }
      customFields: contactFieldsByAccountIdAndContactId { nodes { value
        customField: customFieldByAccountIdAndCustomFieldId { databaseId: rowId name type } } } } } }`,
    rows: ({ contacts }) =>
      contacts.nodes.map(({ email, customFields }: Data) => [
        email,
        (customFields.nodes ?? customFields)
          .map(({ value, customField }: Data) => [value, customField.name, customField.type])
          .sort(),
      ]),
  },
  {
    name: '20 tags × first 10 contacts',
    least: 1.2,
    ours: '{ tags(first: 20) { nodes { name contacts(first: 10) { nodes { email firstName } } } } }',
    theirs: `{ tags: allTags(condition: { accountId: ${accountId} }, orderBy: ROW_ID_DESC, first: 20) { nodes { name
      contacts: contactTagsByAccountIdAndTagId(first: 10, orderBy: CONTACT_ID_DESC) {
        nodes { contact: contactByAccountIdAndContactId { email firstName } } } } } }`,
    rows: ({ tags }) =>
      tags.nodes.map(({ name, contacts }: Data) => [
        name,
        contacts.nodes.map((node: Data) => (node.contact ?? node).email),
      ]),
  },
]

const folder = fileURLToPath(new URL('postgraphile', import.meta.url))
// A dependency of this benchmark alone.
if (!existsSync(`${folder}/node_modules`)) execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' })
const filled = await fillDatabase()
const started: { stop(): void }[] = []
try {
  process.exitCode = (await measureAll(filled)) ? 0 : 1
} finally {
  for (const each of started) each.stop()
  await filled.drop()
}

/**
 * PostGraphile follows foreign keys. The links of contacts have none to their tags and fields, because they outlive them for a
 * while.
 */
async function addForeignKeys(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    ALTER TABLE contact_tag ADD FOREIGN KEY (account_id, tag_id) REFERENCES tag (account_id, id);
    ALTER TABLE contact_field ADD FOREIGN KEY (account_id, custom_field_id) REFERENCES custom_field (account_id, id)`)
  await client.end()
}

async function measureAll({ url, key, accountId }: FilledDatabase): Promise<boolean> {
  await addForeignKeys(url)
  const load = started[started.push(startLoader()) - 1] as Loader
  const ours = await startServer('campanile.ts', [url, key, String(accountId)])
  started.push(ours)
  const theirs = await startServer('postgraphile/server.mjs', [url])
  started.push(theirs)
  const report = newReport()
  const only = process.argv[2]
  for (const { name, least, rows, ...documents } of comparisons(accountId)) {
    if (only !== undefined && !name.includes(only)) continue
    const [mine, other] = [graph(documents.ours, {}, key), graph(documents.theirs, {}, key)]
    deepStrictEqual(await rowsOf(ours, mine, rows), await rowsOf(theirs, other, rows), `${name}: the rows differ`)
    report.throughput(name, await compare(mine, load, ours, theirs, { otherRequest: other }), least)
  }
  return report.print()
}

async function rowsOf(server: Server, request: string, rows: Comparison['rows']): Promise<unknown> {
  const { data, errors } = (await server.ask(request)) as { data: Data; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors).slice(0, 500))
  return rows?.(data)
}
