import { expect } from 'vitest'
import { page as pageWith } from '../funnels/documents.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { describeHostile, type HostileRequest, type HostileServer, type Reply } from './frame.ts'

// Input of a tenant or visitor that determines the cost of the server's work.

/** IDs of the objects that are attacked. */
export const attacked = { campaign: '', stage: '', step: '', contact: '', funnel: '' }

export const graphql = (server: HostileServer, query: string, input: object): Promise<Reply> =>
  server.ask('/graphql', { method: 'POST', body: { query, variables: { input } } })

export const filled = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
export const most = 900_000

/** Sets and previews the HTML of an e-mail. It is set for a stage, too, so it is checked twice. */
export const email = (name: string, html: () => string): HostileRequest => ({
  name: `e-mail: ${name}`,
  send: async (server) => {
    const body = html()
    return [
      await graphql(
        server,
        'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { email { preview { text } } } } }',
        { id: attacked.campaign, html: body },
      ),
      await server.ask('/v1/sequence-stage-content', {
        method: 'PUT',
        body: { stage_id: Number(attacked.stage), html: body },
      }),
    ]
  },
})

let stepPath = '/p/hostile/1/x'

/** Sets the document of a page, and shows the page if it was accepted. */
export const page = (name: string, content: () => unknown): HostileRequest => ({
  name: `page: ${name}`,
  send: async (server) => [
    await graphql(
      server,
      'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }',
      { id: attacked.step, content: content() },
    ),
    await server.ask(stepPath),
  ],
})

/** Renders previews of all pages of the funnel, `times` times in a request. */
export const previews = (name: string, times: number, field: string, content?: () => unknown): HostileRequest => ({
  name: `previews: ${name}`,
  send: async (server) => {
    const fields = Array.from({ length: times }, (_, at) => `a${at}: funnel(id: $funnel) { steps { ${field} } }`)
    const declared = content ? '$funnel: ID!, $content: JSON' : '$funnel: ID!'
    const query = `query (${declared}) { ${fields.join(' ')} }`
    const reply = await server.ask('/graphql', {
      method: 'POST',
      body: { query, variables: { funnel: attacked.funnel, content: content?.() } },
    })
    expect(reply.body).toMatch(/<!doctype html>|"RATE_LIMITED"/)
    return reply
  },
})

/** Titles of 198 merge fields each. */
export const titles = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'title', text: filled('{{A}}', 990) }))

export const csv = (name: string, text: () => string): HostileRequest => ({
  name: `CSV: ${name}`,
  send: (server) =>
    graphql(
      server,
      'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { contactImport { id } } }',
      { csv: text() },
    ),
})

export const upload = (name: string, text: () => string): HostileRequest => ({
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

export const invoice = (name: string, input: () => object): HostileRequest => ({
  name: `PDF: ${name}`,
  send: (server) =>
    graphql(
      server,
      'mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { id } } }',
      input(),
    ),
})

export const report = (name: string, message: () => string): HostileRequest => ({
  name: `delivery report: ${name}`,
  send: (server) =>
    server.ask('/hooks/bounces/dsn', {
      method: 'POST',
      headers: { authorization: 'Bearer a-dsn-key-that-only-tests-know', 'content-type': 'message/rfc822' },
      body: message(),
    }),
})

export const elements = (...all: object[]) => pageWith(...all)
export const html = (text: string) => elements(...Array.from({ length: 5 }, () => ({ type: 'html', html: text })))
export const buyer = { email: 'buyer@example.com', firstName: 'Grace' }
export const alternatives = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`).join(
    '',
  )

/**
 * An e-mail that was stored before the limits: its campaign ends with the reason, and that of another account is sent.
 */
export const stored = (name: string, html: () => string): HostileRequest => ({
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

/** Sends each of the requests to a server with a funnel of this number of pages. */
export const describeContent = (requests: readonly HostileRequest[], pages: number): void =>
  describeHostile('content', requests, {
    env: { BOUNCES_DSN_KEY: 'a-dsn-key-that-only-tests-know' },
    prepare: async ({ world }) => {
      attacked.campaign = (await world.campaign()).id
      attacked.stage = String((await world.stage(await world.sequence())).databaseId)
      attacked.contact = (await world.contact()).id
      const funnel = await world.funnel()
      const step = await world.step(funnel, { content: pageWith({ type: 'title', text: 'Hello' }) })
      attacked.step = step.id
      attacked.funnel = funnel.id
      for (let at = 1; at < pages; at += 1) await world.step(funnel, { content: pageWith(...titles(20)) })
      stepPath = `/p/hostile/${funnel.databaseId}/${step.path}`
    },
  })
