import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { page } from '../../funnels/documents.ts'
import { documents, variables } from '../../hostile/graphql-documents.ts'
import type { Client } from './client.ts'

/** Who attacks. */
export interface Attacker {
  /** With the key of the attacker's account. */
  readonly tenant: Client
  /** Without a key, from another network. */
  readonly stranger: Client
  readonly dataFolder: string
}

/** An attack, and what it needs before. */
export interface Attack {
  readonly name: string
  /** Prepares the attack, which is not measured. Returns one turn of it, which many clients repeat. */
  prepare(attacker: Attacker): Promise<(turn: number) => Promise<unknown>>
  /** Number of clients that repeat turns. */
  readonly clients?: number
}

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
const head = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`
const upgrade =
  'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n'
const random = () => Math.random().toString(36).slice(2)

/** Creates something by a mutation, and returns what the mutation returns. */
async function create<Result>(client: Client, query: string, input: object): Promise<Result> {
  const { body } = await client.graphql(query, { input })
  const { data, errors } = JSON.parse(body)
  // The attack before may have used the requests of a minute.
  const seconds = errors?.[0]?.extensions?.retryAfterSeconds
  if (seconds !== undefined) {
    await pause(seconds * 1_000)
    return create(client, query, input)
  }
  const [result] = Object.values(data ?? {})
  if (!result) throw new Error(body.slice(0, 500))
  return result as Result
}

const simple = (name: string, turn: (attacker: Attacker, turn: number) => Promise<unknown>, clients = 16): Attack => ({
  ...{ name, clients },
  prepare: async (attacker) => (count) => turn(attacker, count),
})

/** Keeps connections open for a second each. */
const hold = (open: (attacker: Attacker) => void, name: string, clients = 200): Attack =>
  simple(
    name,
    async (attacker) => {
      open(attacker)
      await pause(1_000)
    },
    clients,
  )

async function newForm({ tenant }: Attacker): Promise<string> {
  const { form } = await create<{ form: { id: string; databaseId: number; questions: { databaseId: number }[] } }>(
    tenant,
    'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { id databaseId questions { databaseId } } } }',
    { name: random(), questions: [{ label: 'E-mail', type: 'SHORT_TEXT' }] },
  )
  await tenant.graphql('mutation ($id: ID!) { formPublish(input: { id: $id }) { form { id } } }', { id: form.id })
  return `/f/${form.databaseId}`
}

async function newCampaign({ tenant }: Attacker, html: string): Promise<string> {
  const { campaign } = await create<{ campaign: { id: string } }>(
    tenant,
    'mutation ($input: CampaignCreateInput!) { campaignCreate(input: $input) { campaign { id } } }',
    { name: random(), subject: 'Hello', fromEmail: 'eve@example.com' },
  )
  await create(
    tenant,
    'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }',
    { id: campaign.id, html },
  )
  return campaign.id
}

/** Creates contacts with a long first name. */
async function createContacts({ tenant }: Attacker, count: number): Promise<void> {
  const lines = Array.from({ length: count }, () => `${random()}@example.com,${filled('Eve ', 100)},1`)
  await create(
    tenant,
    'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { id } } }',
    { csv: `email,first_name,email_marketing\n${lines.join('\n')}` },
  )
  await pause(4_000)
}

const sendToAll =
  'mutation ($id: ID!) { campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }'

/** Sends a message to the account's contacts and returns the paths of a kind in one of them. */
async function pathOf(attacker: Attacker, pattern: RegExp): Promise<string> {
  await createContacts(attacker, 1)
  const id = await newCampaign(attacker, '<a href="https://shop.example/x">x</a>')
  const sent = await attacker.tenant.graphql(sendToAll, { id })
  const folder = join(attacker.dataFolder, 'mail')
  for (let turn = 0; turn < 100; turn += 1) {
    await pause(200)
    const [file] = await readdir(folder).catch((): string[] => [])
    if (file === undefined) continue
    const text = (await readFile(join(folder, file), 'utf8')).replaceAll('=\r\n', '').replaceAll('=3D', '=')
    const [path] = pattern.exec(text) ?? []
    if (path !== undefined) return path
  }
  throw new Error(`No message was written: ${sent.body.slice(0, 300)}`)
}

const tags = Array.from({ length: 999 }, (_, at) => Array.from({ length: 100 }, (_each, n) => `${at}t${n}`).join(';'))
const wide = `email${',tags'.repeat(999)}\na@example.com,${tags.join()}`.slice(0, 900_000)
const importCsv =
  'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { id } } }'

/** The doors of src/docs/threat-model.md. */
export const attacks: readonly Attack[] = [
  { name: 'nothing', prepare: async () => () => pause(1_000), clients: 1 },
  hold(({ stranger }) => void stranger.open(head('/graphql', 500_000)), 'unfinished bodies of queries'),
  hold(
    ({ stranger }) => void stranger.open(head('/hooks/bounces/ses', 200_000) + filled('x', 190_000)),
    'unfinished bodies of 190 kB',
  ),
  hold(
    ({ stranger }) =>
      void stranger.open('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20)).pause(),
    'files that are not read',
  ),
  hold(({ stranger }) => void stranger.open('GET /livez HTTP/1.1\r\nHost: loc'), 'unfinished headers'),
  hold(({ stranger }) => void stranger.open(upgrade), 'sockets before connection_init'),
  hold(
    ({ stranger }) => void stranger.open(`${upgrade}${'\x81\xfe\x3a\x98'}${filled('x', 15_000)}`),
    'sockets with 15 kB before connection_init',
  ),
  simple('wrong keys', ({ stranger }) =>
    stranger.send('POST', '/graphql', {
      body: { query: '{ viewer { email } }' },
      headers: { authorization: `Bearer cmp_${random()}${random()}` },
    }),
  ),
  simple('wrong keys at REST', ({ stranger }) =>
    stranger.send('GET', '/v1/contacts', { headers: { authorization: `Bearer cmp_${random()}${random()}` } }),
  ),
  simple('sign-in links', ({ stranger }) =>
    stranger.send('POST', '/console/sign-in', {
      body: `email=${random()}%40example.com`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }),
  ),
  {
    name: 'one open pixel',
    prepare: async (attacker) => {
      const path = await pathOf(attacker, /\/t\/o\/[\w-]+/)
      return () => attacker.stranger.send('GET', path)
    },
  },
  {
    name: 'one link, clicked and unsubscribed',
    prepare: async (attacker) => {
      const [click, leave] = [await pathOf(attacker, /\/t\/c\/[\w-]+/), await pathOf(attacker, /\/u\/[\w-]+/)]
      return (turn) => attacker.stranger.send(turn % 2 === 0 ? 'GET' : 'POST', turn % 2 === 0 ? click : leave)
    },
  },
  simple('large queries', ({ tenant }) =>
    tenant.graphql(
      `{ ${Array.from({ length: 20 }, (_, n) => `a${n}: contacts(first: 100) { totalCount nodes { email tags { name } customFields { label value } } }`).join(' ')} }`,
    ),
  ),
  simple(
    'hostile documents and variables',
    ({ tenant }, turn) => {
      const bodies = [...variables.map(([, body]) => body), ...documents.map(([, query]) => ({ query }))]
      const body = bodies[turn % bodies.length] ?? ''
      return tenant.send('POST', '/graphql', { body, headers: { 'content-type': 'application/json' } })
    },
    4,
  ),
  {
    name: 'messages of 20,000 merge fields',
    clients: 2,
    prepare: async (attacker) => {
      await createContacts(attacker, 300)
      const html = `<p>${'{{FIRST_NAME}}'.repeat(19_000)}</p><a href="{{UNSUBSCRIBE_URL}}">x</a>`
      const ids = [await newCampaign(attacker, html), await newCampaign(attacker, html)]
      return async () => {
        const id = ids.pop()
        if (id !== undefined) await attacker.tenant.graphql(sendToAll, { id })
        await pause(1_000)
      }
    },
  },
  {
    name: 'e-mails of 900 kB that are checked',
    clients: 4,
    prepare: async (attacker) => {
      const id = await newCampaign(attacker, '<p>x</p>')
      const bodies = [
        '<table><tr><td><a href="https://a.example/">x</a></td></tr></table>',
        '<!--[if mso]>',
        '<p style="display:none">{{',
        '<ol><li>',
      ]
      return (turn) =>
        attacker.tenant.graphql(
          'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { check { canSend } email { preview { text } } } } }',
          { id, html: filled(bodies[turn % bodies.length] ?? '', 900_000) },
        )
    },
  },
  simple('bodies of webhooks without credentials', ({ stranger }, turn) =>
    stranger.send('POST', `/hooks/bounces/${['ses', 'generic', 'postmark'][turn % 3]}`, {
      body: filled('{"Type":"Notification","Message":"', 250_000),
      headers: { 'content-type': 'application/json', authorization: 'Bearer wrong' },
    }),
  ),
  simple('reports of 900 kB of SES', ({ stranger }) =>
    stranger.send('POST', '/hooks/bounces/ses', {
      body: JSON.stringify({ Type: 'Notification', TopicArn: 'x', Message: filled('[', 240_000) }),
      headers: { 'content-type': 'text/plain' },
    }),
  ),
  simple('imports with 999 columns of tags', ({ tenant }) => tenant.graphql(importCsv, { input: { csv: wide } }), 2),
  simple(
    'imports of many short lines',
    ({ tenant }) =>
      tenant.graphql(importCsv, {
        input: { csv: `email\n${Array.from({ length: 40_000 }, () => `${random()}@a.io`).join('\n')}` },
      }),
    2,
  ),
  {
    name: 'form posts',
    prepare: async (attacker) => {
      const path = await newForm(attacker)
      return () =>
        attacker.stranger.send('POST', path, {
          body: { answers: {}, email: `${random()}@example.com`, complete: true },
        })
    },
  },
  {
    name: 'a page with large values',
    prepare: async (attacker) => {
      const { funnel } = await create<{ funnel: { id: string; databaseId: number } }>(
        attacker.tenant,
        'mutation ($input: FunnelCreateInput!) { funnelCreate(input: $input) { funnel { id databaseId } } }',
        { name: random(), type: 'LEAD' },
      )
      const { step } = await create<{ step: { id: string; path: string } }>(
        attacker.tenant,
        'mutation ($input: FunnelStepCreateInput!) { funnelStepCreate(input: $input) { step { id path } } }',
        { funnelId: funnel.id, name: 'Welcome' },
      )
      const titles = Array.from({ length: 70 }, () => ({ type: 'title', text: filled('{{FIRST_NAME}}', 980) }))
      await create(
        attacker.tenant,
        'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { step { id } } }',
        { id: step.id, content: page(...titles) },
      )
      const value = filled('%3C', 7_000)
      return () => attacker.stranger.send('GET', `/p/attack/${funnel.databaseId}/${step.path}?first_name=${value}`)
    },
  },
  simple('invoices of 500 lines', ({ tenant }) =>
    tenant.graphql('mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { id } } }', {
      input: {
        customer: { email: 'buyer@example.com', firstName: 'Grace' },
        lines: Array.from({ length: 500 }, () => ({ name: filled('Wx ', 254), unitPrice: '1', vatRate: '20' })),
      },
    }),
  ),
  {
    name: 'sequences that enrol into each other',
    clients: 4,
    prepare: async (attacker) => {
      await createContacts(attacker, 200)
      const { tenant } = attacker
      const ids: string[] = []
      for (let turn = 0; turn < 2; turn += 1) {
        const query = 'mutation ($input: SequenceCreateInput!) { sequenceCreate(input: $input) { sequence { id } } }'
        ids.push((await create<{ sequence: { id: string } }>(tenant, query, { name: random() })).sequence.id)
      }
      for (const [place, sequenceId] of ids.entries()) {
        const { stage } = await create<{ stage: { id: string } }>(
          tenant,
          'mutation ($input: SequenceStageCreateInput!) { sequenceStageCreate(input: $input) { stage { id } } }',
          { sequenceId, stageType: 'ACTION', timeValue: 0, action: { addSequenceId: ids[1 - place] } },
        )
        await tenant.graphql(
          'mutation ($id: ID!) { sequenceStageUpdate(input: { id: $id, active: true }) { stage { id } } }',
          stage,
        )
      }
      const list = JSON.parse((await tenant.graphql('{ contacts(first: 100) { nodes { id } } }')).body).data.contacts
        .nodes
      return (turn) =>
        tenant.graphql('mutation ($input: SequenceEnrolInput!) { sequenceEnrol(input: $input) { enrolment { id } } }', {
          input: { contact: { id: list[turn % list.length].id }, sequenceId: ids[turn % 2] },
        })
    },
  },
  simple('new contacts, one at a time', ({ tenant }) =>
    tenant.graphql('mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id } } }', {
      input: { email: `${random()}@example.com` },
    }),
  ),
  simple('pages that do not exist', ({ stranger }) => stranger.send('GET', `/p/${random()}/1/${random()}`), 32),
]
