import { expect } from 'vitest'
import { page as pageWith } from '../funnels/documents.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'

// Input of a tenant or visitor that determines the cost of the server's work.

let campaignId = ''
let stageId = ''
let stepId = ''
let contactId = ''
let funnelId = ''

const graphql = (server: HostileServer, query: string, input: object): Promise<Reply> =>
  server.ask('/graphql', { method: 'POST', body: { query, variables: { input } } })

const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
const most = 900_000

/** Sets and previews the HTML of an e-mail. It is set for a stage, too, so it is checked twice. */
const email = (name: string, html: () => string): HostileRequest => ({
  name: `e-mail: ${name}`,
  send: async (server) => {
    const body = html()
    return [
      await graphql(
        server,
        'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { email { preview { text } } } } }',
        { id: campaignId, html: body },
      ),
      await server.ask('/v1/sequence-stage-content', {
        method: 'PUT',
        body: { stage_id: Number(stageId), html: body },
      }),
    ]
  },
})

/** Sets the document of a page, and shows the page if it was accepted. */
const page = (name: string, content: () => unknown): HostileRequest => ({
  name: `page: ${name}`,
  send: async (server) => [
    await graphql(
      server,
      'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }',
      { id: stepId, content: content() },
    ),
    await server.ask(stepPath),
  ],
})
let stepPath = '/p/hostile/1/x'

/** Renders previews of 100 objects, `times` times in a request. */
const previews = (name: string, times: number, field: string, content?: () => unknown): HostileRequest => ({
  name: `previews: ${name}`,
  send: async (server) => {
    const fields = Array.from({ length: times }, (_, at) => `a${at}: funnel(id: $funnel) { steps { ${field} } }`)
    const declared = content ? '$funnel: ID!, $content: JSON' : '$funnel: ID!'
    const query = `query (${declared}) { ${fields.join(' ')} }`
    const reply = await server.ask('/graphql', {
      method: 'POST',
      body: { query, variables: { funnel: funnelId, content: content?.() } },
    })
    expect(reply.body).toMatch(/<!doctype html>|"RATE_LIMITED"/)
    return reply
  },
})

/** Titles of 198 merge fields each. */
const titles = (count: number) => Array.from({ length: count }, () => ({ type: 'title', text: filled('{{A}}', 990) }))

const csv = (name: string, text: () => string): HostileRequest => ({
  name: `CSV: ${name}`,
  send: (server) =>
    graphql(
      server,
      'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { id } } }',
      { csv: text() },
    ),
})

const upload = (name: string, text: () => string): HostileRequest => ({
  name: `CSV file: ${name}`,
  send: async (server) => {
    const asked = await graphql(
      server,
      'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { uploadUrl } }',
      {},
    )
    const url = JSON.parse(asked.body).data?.contactImportCreate.uploadUrl
    if (!url) return asked
    return server.ask(new URL(url).pathname, { method: 'PUT', body: text() })
  },
})

const invoice = (name: string, input: () => object): HostileRequest => ({
  name: `PDF: ${name}`,
  send: (server) =>
    graphql(
      server,
      'mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { id } } }',
      input(),
    ),
})

const report = (name: string, message: () => string): HostileRequest => ({
  name: `delivery report: ${name}`,
  send: (server) =>
    server.ask('/hooks/bounces/dsn', {
      method: 'POST',
      headers: { authorization: 'Bearer a-dsn-key-that-only-tests-know', 'content-type': 'message/rfc822' },
      body: message(),
    }),
})

const elements = (...all: object[]) => pageWith(...all)
const html = (text: string) => elements(...Array.from({ length: 5 }, () => ({ type: 'html', html: text })))
const buyer = { email: 'buyer@example.com', firstName: 'Grace' }
const alternatives = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`).join(
    '',
  )

/**
 * An e-mail that was stored before the limits: its campaign ends with the reason, and that of another account is sent.
 */
const stored = (name: string, html: () => string): HostileRequest => ({
  name: `stored e-mail: ${name}`,
  send: async ({ world }) => {
    await world.contact({ emailMarketing: true })
    const other = await world.other()
    await other.contact({ emailMarketing: true })
    const campaign = await world.campaign()
    await world.rows(
      `UPDATE document d SET body = $3 FROM campaign c JOIN email e ON e.account_id = c.account_id AND e.id = c.email_id
       WHERE c.account_id = $1 AND c.id = $2 AND d.account_id = c.account_id AND d.id = e.html_document_id`,
      [world.accountId, campaign.databaseId, Buffer.from(html())],
    )
    const document = `mutation ($id: ID!) {
      campaignSend(input: { id: $id, audience: { sendToAll: true } }) { campaign { id } } }`
    await world.run(document, campaign)
    const { id } = await sendCampaign(other)
    await waitForStatus(other, id, 'SENT')
    expect(await waitForStatus(world, campaign.id, 'ERROR')).toMatchObject({ errorCode: 'TEMPLATE_ERROR' })
    return undefined
  },
})

describeHostile(
  'content',
  [
    email('lists in lists', () => '<ul><li>'.repeat(112_500)),
    email('tables in tables', () => filled('<table><tr><td>', most)),
    email('tags that are never closed', () => filled('<b><i><a href="https://example.com/">', most)),
    email('end tags without a start', () => `${'<b>'.repeat(100_000)}${'</x>'.repeat(100_000)}`),
    email('half a million elements', () => filled('<hr>', most)),
    email('a million attributes', () => `<p ${filled('a=1 ', most)}>x</p>`),
    email('one giant attribute', () => `<a href="https://example.com/${filled('&amp;', most)}">x</a>`),
    email('nothing but entities', () => filled('&amp;&#1234;&CounterClockwiseContourIntegra', most)),
    email('styles, drawings and formulas in each other', () => filled('<svg><math><style>', most)),
    email('comments that do not end', () => filled('<!--<!-- -', most)),
    email('rules of CSS', () => `<style>${filled('a{b:c}@media{', most)}`),
    email('a picture in its own address', () => `<img src="data:image/png;base64,${filled('A', most)}">`),
    email('100,000 merge fields', () => filled('{{EMAIL}}', most)),
    email('braces in braces', () => filled('{{{{{{', most)),
    email('a merge field of blanks', () => `{{FIELD.${' '.repeat(most)}`),
    email('links without end', () => filled('<a href="https://example.com/1">x</a>', most)),
    email('a rule across, which is long as text', () => filled('<hr>', 190_000)),
    email('addresses in braces', () => `https://${filled('{{a', most)}`),
    {
      name: 'page: objects in objects',
      send: (server) => {
        const query =
          'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }'
        const deep = `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`
        const body = `{"query":"${query}","variables":{"input":{"id":"${stepId}","content":${deep}}}}`
        return server.ask('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      },
    },
    stored('lists in lists', () => '<ul><li>'.repeat(112_500)),
    stored('tags that are never closed', () => filled('<b><i><a href="https://example.com/">', most)),
    stored('100,000 merge fields', () => filled('{{EMAIL}}', most)),
    page('objects in objects, as text', () => `${'{"a":'.repeat(80_000)}1${'}'.repeat(80_000)}`),
    page('a hundred thousand sections', () => ({ version: 1, root: Array.from({ length: 100_000 }, () => ({})) })),
    page('half a million numbers', () => ({ version: 1, root: [], x: Array.from({ length: 400_000 }, () => 1) })),
    page('HTML: lists in lists', () => html(filled('<ul><li>', 100_000))),
    page('HTML: bold in bold', () => html(filled('<b>', 100_000))),
    page('HTML: paragraphs', () => html(filled('<p>a</p>', 79_000))),
    page('HTML: styles', () => html(filled(`<p style="${filled('width:1px;', 1_900)}">a`, 100_000))),
    page('2,000 countdowns', () =>
      elements(...Array.from({ length: 1_990 }, (_, at) => ({ type: 'countdown', minutes: at }))),
    ),
    previews('200 of a page of 4,000 merge fields', 2, 'preview(content: $content)', () => pageWith(...titles(20))),
    previews('200 of a page of 4,000 merge fields that is stored', 2, 'preview'),
    previews('400 of a form', 4, 'form { preview }'),
    page('100,000 merge fields', () => elements(...titles(500))),
    page('text of line ends', () =>
      elements(...Array.from({ length: 5 }, () => ({ type: 'text', text: filled('a\n', 99_000) }))),
    ),
    csv('one line of 900 kB', () => `email\n"${filled('x', most)}`),
    csv('a quote that is never closed', () => `email\na@example.com\n"${filled('a""', most)}`),
    csv('100,000 columns', () => `email${',x'.repeat(100_000)}\n${','.repeat(100_000)}`),
    csv('rows of commas', () => `email,tags\n${filled(`a@example.com,"${filled(',"', 50_000)}\n`, most)}`),
    csv('a header of quotes', () => filled('"""x', most)),
    upload('one line of 50 MB', () => `email\n${filled('x', 50_000_000)}`),
    upload('8 MB of commas', () => `email,tags\n${filled(',', 8_000_000)}`),
    upload(
      'rows with tags of blanks',
      () => `email,tags\n${filled(`a@example.com,"${filled(' ;"" ', 100_000)}"\n`, 3_000_000)}`,
    ),
    invoice('500 lines of 255 characters', () => ({
      customer: buyer,
      lines: Array.from({ length: 500 }, () => ({ name: filled('Wx ', 254), unitPrice: '1', vatRate: '20' })),
    })),
    invoice('10,000 lines of 10 kB', () => ({
      customer: buyer,
      lines: Array.from({ length: 90 }, () => ({ name: filled('W', 10_000), unitPrice: '1' })),
    })),
    invoice('lines of line ends', () => ({
      customer: buyer,
      lines: Array.from({ length: 500 }, () => ({ name: filled('W\n', 254), unitPrice: '1', vatRate: '20' })),
    })),
    report('parts in parts', () => `${alternatives(20_000)}x`),
    report('groups of addresses', () => `To: ${filled('a:', 100_000)}\r\n\r\nx`),
    report('100,000 headers', () => `${filled('a: b\r\n', 600_000)}\r\nx`),
    report(
      '100,000 parts',
      () => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${filled('--b\r\n\r\nx\r\n', 1_000_000)}--b--`,
    ),
    report('HTML of 9 MB', () => `Content-Type: text/html\r\n\r\n${filled('<ul><li>', 9_000_000)}`),
    {
      name: 'one-click unsubscribing with blanks',
      send: (server) =>
        server.ask('/u/AQ', {
          method: 'POST',
          headers: { 'content-type': 'text/plain' },
          body: `List-Unsubscribe${' '.repeat(60_000)}x`,
        }),
    },
    {
      name: 'a time of blanks',
      send: (server) => server.ask(`/v1/form-submissions?form_id=1&updated_after=2026-01-01T${'+'.repeat(14_000)}x`),
    },
    {
      name: 'ids of a million digits',
      send: (server) =>
        server.ask('/v1/contact', {
          method: 'POST',
          body: { email: 'digits@example.com', tag_ids: '9'.repeat(900_000) },
        }),
    },
    {
      name: 'an address of 900 kB',
      send: (server) =>
        server.ask('/v1/contact', { method: 'POST', body: { email: `${filled('a.', most)}@${filled('a.', 1_000)}!` } }),
    },
    {
      name: 'a value for a custom field of 900 kB',
      send: (server) =>
        graphql(server, 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
          contact: { id: contactId },
          firstName: filled('\ud83d\ude00', most),
        }),
    },
  ],
  {
    env: { BOUNCES_DSN_KEY: 'a-dsn-key-that-only-tests-know' },
    prepare: async ({ world }) => {
      campaignId = (await world.campaign()).id
      stageId = String((await world.stage(await world.sequence())).databaseId)
      contactId = (await world.contact()).id
      const funnel = await world.funnel()
      const step = await world.step(funnel, { content: pageWith({ type: 'title', text: 'Hello' }) })
      stepId = step.id
      funnelId = funnel.id
      for (let at = 1; at < 100; at += 1) await world.step(funnel, { content: pageWith(...titles(20)) })
      stepPath = `/p/hostile/${funnel.databaseId}/${step.path}`
    },
  },
)
