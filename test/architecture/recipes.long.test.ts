import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Running, start, temporaryFolder, until } from '../runtime/process.ts'
import { newEmptyDatabase } from '../support/database.ts'
import { followRecipes, readRecipe } from './recipe.ts'

const recipes = ['Add an event type', 'Add a route']

/** The files that a recipe names, without those that it names for other cases. */
async function filesOf(name: string, others: readonly string[]): Promise<string[]> {
  const { text } = await readRecipe(name)
  const named = text.matchAll(/`((?:src|prisma|rest-bridge|test)\/[^`<]+\.[a-z]+)`/g)
  return [...new Set([...named].map(([, path = '']) => path))].filter((path) => !others.includes(path))
}

let compilations: Running['end'][]
let copy: string
let address: string
let key: string

// One copy follows all recipes, because generating, compiling and starting it take a minute.
beforeAll(async () => {
  copy = await followRecipes(['Add a contact field', ...recipes])
  // The slowest step, so it runs beside the others.
  compilations = [[], ['--project', 'src/console']].map(
    (project) => start('node_modules/typescript/bin/tsc', ['--noEmit', ...project], {}, copy).end,
  )
  const env = { DATABASE_URL: await newEmptyDatabase(), DATA_DIR: await temporaryFolder(), SECRET: 'x'.repeat(32) }
  const server = start('main', [], { ...env, PORT: '0' }, copy)
  address = (await server.line(/^ready /)).replace('ready ', '')
  const account = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--plan', 'pro', '--json']
  key = JSON.parse((await start('cli', account, env, copy).end).stdout).key
  // Generating, compiling and starting compete with other tests for the processors.
}, 1_200_000)

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
const send = async (path: string, init?: RequestInit): Promise<any> => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  const response = await fetch(new URL(path, address), { ...init, headers })
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
}
const run = async (query: string, variables: object = {}) => {
  const { data, errors } = await send('/graphql', { method: 'POST', body: JSON.stringify({ query, variables }) })
  expect(errors).toBeUndefined()
  return data
}

describe('the recipe "Add a contact field" of CONTRIBUTING', () => {
  const jobTitleOf = async (email: string) => {
    const document = 'query ($email: String!) { contact(ref: { email: $email }) { jobTitle } }'
    return (await run(document, { email })).contact.jobTitle
  }

  it('edits at most 5 files, with the test', async () => {
    const { text, edits } = await readRecipe('Add a contact field')
    const paths = [...text.matchAll(/`((?:src|prisma|rest-bridge)\/[^`<]+)`/g)].map(([, path]) => path)
    const edited = edits.map(({ path }) => path)
    expect(paths).toEqual([...edited, 'src/docs/mail.md'])
    expect(edited).toHaveLength(3)
    expect(text).toContain(`It takes ${paths.length + 1} files`)
    expect(paths.length + 1).toBeLessThanOrEqual(5)
  })

  it('adds the field to the inputs and to the type of a contact', async () => {
    const { contactCreate } = await run(
      'mutation { contactCreate(input: { email: "ada@example.com", jobTitle: "Potter" }) { contact { jobTitle } } }',
    )
    expect(contactCreate.contact).toEqual({ jobTitle: 'Potter' })
    await run(`mutation {
      contactUpdate(input: { contact: { email: "ada@example.com" }, jobTitle: "Kiln master" }) { contact { id } } }`)
    expect(await jobTitleOf('ada@example.com')).toBe('Kiln master')
  })

  it('limits the length of the field', async () => {
    const query = `mutation { contactCreate(input: { email: "long@example.com", jobTitle: "${'x'.repeat(256)}" }) {
      contact { id } } }`
    const { errors } = await send('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
    expect(errors[0].extensions.details).toEqual({ 'input.jobTitle': ['must have at most 255 characters'] })
  })

  it('imports the field by an alias, into new and existing contacts', async () => {
    await run(
      'mutation { contactCreate(input: { email: "grace@example.com", jobTitle: "Captain" }) { contact { id } } }',
    )
    const csv = 'email,Position\ngrace@example.com,Admiral\nalan@example.com,Teacher\n'
    const { contactImportCreate } = await run(
      `mutation ($csv: String!) { contactImportCreate(input: { csv: $csv }) {
        contactImport { id columns { column field } } } }`,
      { csv },
    )
    const { id, columns } = contactImportCreate.contactImport
    expect(columns[1]).toEqual({ column: 'Position', field: 'JOB_TITLE' })
    const document = 'query ($id: ID!) { contactImport(id: $id) { status } }'
    await until(async () => (await run(document, { id })).contactImport.status === 'COMPLETED')
    expect(await jobTitleOf('grace@example.com')).toBe('Admiral')
    expect(await jobTitleOf('alan@example.com')).toBe('Teacher')
  })

  it('filters and sorts contacts by the field', async () => {
    for (const [name, jobTitle] of Object.entries({ b: 'Glazier B', a: 'glazier a' })) {
      await run(`mutation { contactCreate(input: { email: "${name}@filter.example", jobTitle: "${jobTitle}" }) {
        contact { id } } }`)
    }
    const { contacts } = await run(`{ contacts(filter: { jobTitle: { contains: "LAZIER" } },
      orderBy: { field: JOB_TITLE, direction: ASC }) { nodes { email } } }`)
    expect(contacts.nodes.map(({ email }: { email: string }) => email)).toEqual([
      'a@filter.example',
      'b@filter.example',
    ])
  })

  it('adds the field to the export of a person', async () => {
    await run('mutation { contactCreate(input: { email: "p@example.com", jobTitle: "Person" }) { contact { id } } }')
    const document = 'mutation { contactExport(input: { contact: { email: "p@example.com" } }) { url } }'
    const { pathname } = new URL((await run(document)).contactExport.url)
    const files = unzipSync(new Uint8Array(await (await fetch(new URL(pathname, address))).arrayBuffer()))
    const { contact } = JSON.parse(strFromU8(files['person.json'] as Uint8Array))
    expect(contact).toMatchObject([{ email: 'p@example.com', job_title: 'Person' }])
    expect(strFromU8(files['contact.csv'] as Uint8Array).split('\r\n')[0]).toContain('job_title')
  })

  it('adds the field to the documents and the choices of the console', async () => {
    const read = (name: string) => readFile(join(copy, 'src/console', name), 'utf8')
    expect(await read('generated/text-fields.documents.ts')).toContain('t`Job title`')
    expect(await read('fragments/contact-texts.graphql')).toContain('  jobTitle\n')
  })

  it('accepts the field in the mapping of /v1/contacts-import', async () => {
    const body = { csv: 'email,What\nm@import.example,Mason\n', mapping: [{ column: 'What', field: 'job_title' }] }
    const { data } = await send('/v1/contacts-import', { method: 'POST', body: JSON.stringify(body) })
    await until(async () => (await send(`/v1/contacts-import?import_id=${data.id}`)).data.status === 'completed')
    expect(await jobTitleOf('m@import.example')).toBe('Mason')
  })

  it('exports the field', async () => {
    await run('mutation { contactCreate(input: { email: "e@example.com", jobTitle: "Exporter" }) { contact { id } } }')
    const { exportLink } = await run('{ exportLink(list: CONTACTS, format: NDJSON) { url } }')
    const { pathname, search } = new URL(exportLink.url)
    const text = String(await (await fetch(new URL(`${pathname}${search}`, address))).text())
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.find(({ email }) => email === 'e@example.com')).toMatchObject({ job_title: 'Exporter' })
  })

  it('fills the field from an answer to a question', async () => {
    const { formCreate } = await run(`mutation { formCreate(input: { name: "survey", questions: [
      { label: "E-mail", type: EMAIL, contactField: EMAIL }, { label: "Job", type: SHORT_TEXT, contactField: JOB_TITLE }
    ] }) { form { id databaseId } } }`)
    await run('mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }', formCreate.form)
    const posted = await fetch(new URL(`/f/${formCreate.form.databaseId}`, address), {
      method: 'POST',
      body: new URLSearchParams({ email: 'mary@example.com', job_title: 'Fossil hunter' }),
    })
    expect(posted.ok).toBe(true)
    expect(await jobTitleOf('mary@example.com')).toBe('Fossil hunter')
  })

  it('adds a merge field', async () => {
    const { campaignCreate } = await run(`mutation { campaignCreate(input: {
      name: "news", subject: "For the {{JOB_TITLE}}", fromEmail: "ada@example.com" }) { campaign { id } } }`)
    const { contactCreate } = await run(
      'mutation { contactCreate(input: { email: "m@example.com", jobTitle: "Miller" }) { contact { id } } }',
    )
    const preview = `query ($id: ID!, $contactId: ID) { campaign(id: $id) { email {
      preview(contactId: $contactId) { subject } } } }`
    const { id } = campaignCreate.campaign
    const ofContact = await run(preview, { id, contactId: contactCreate.contact.id })
    expect(ofContact.campaign.email.preview.subject).toBe('For the Miller')
    expect((await run(preview, { id })).campaign.email.preview.subject).toBe('For the Engineer')
  })

  it('does not change the keys of /v1/contact', async () => {
    await run('mutation { contactCreate(input: { email: "rest@example.com", jobTitle: "Porter" }) { contact { id } } }')
    const { data } = await send('/v1/contact?email=rest@example.com')
    expect(data.email).toBe('rest@example.com')
    expect(JSON.stringify(data)).not.toContain('Porter')
  })
})

describe('the recipes for event types and routes of CONTRIBUTING', () => {
  it('name 5 files for an event type, and 3 for a route', async () => {
    const [events, routes] = await Promise.all(recipes.map(readRecipe))
    expect(events?.text).toContain('It takes 5 files')
    expect(await filesOf('Add an event type', ['rest-bridge/events/payloads.ts'])).toHaveLength(5)
    expect(routes?.text).toContain('A route takes 3 files')
    expect(await filesOf('Add a route', ['rest-bridge/errors/errors.ts'])).toHaveLength(3)
  })

  it('add the event to the list of events and to the types of webhooks', async () => {
    await run('mutation { segmentCreate(input: { name: "all", filter: { gdpr: true } }) { segment { id } } }')
    const list = `{ events(filter: { types: [SEGMENT_RESIZED] }) {
      nodes { type ... on SegmentSizeEvent { size segment { name } } } } }`
    await until(async () => (await run(list)).events.nodes.length > 0)
    expect((await run(list)).events.nodes).toEqual([{ type: 'SEGMENT_RESIZED', size: 1, segment: { name: 'all' } }])
    const kinds = await readFile(join(copy, 'src/client/event-kinds.ts'), 'utf8')
    expect(kinds).toContain("'segment.resized': 'SegmentSizeEvent'")
    expect(kinds).toContain('SegmentSizeEvent: { segment_id: number; size: number }')
    expect(await readFile(join(copy, 'src/console/generated/event-names.documents.ts'), 'utf8')).toContain(
      'segment.resized',
    )
  })

  it('add the route to the API, its OpenAPI document and the page on documents', async () => {
    const { data } = await send('/v1/tag', { method: 'POST', body: '{ "name": "vip" }' })
    expect((await send(`/v1/tag?tag_id=${data.id}`)).data).toMatchObject({ id: data.id, name: 'vip' })
    expect(await send('/v1/tag?tag_id=999')).toMatchObject({ error: { code: 'NOT_FOUND' } })
    expect((await send('/openapi.json')).paths['/v1/tag'].get.operationId).toBe('TAG-GET')
    expect(await readFile(join(copy, 'src/docs/rest-to-graphql.md'), 'utf8')).toContain('query TagRead')
  })
})

it('what the recipes change compiles', async () => {
  for (const end of compilations) expect(await end).toMatchObject({ code: 0, stdout: '' })
})
