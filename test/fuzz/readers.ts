import { clickToken, openToken, unsubscribeToken, viewToken } from '../../src/mail/messages/message-tokens.ts'
import type { HostileServer } from '../hostile/frame.ts'
import { message } from '../mail/support.ts'
import { mutate, mutateData, type Random } from './mutation.ts'
import { csvSeeds, graphqlSeeds, httpSeeds, multipartSeeds, noticeSeeds, pageSeed } from './seeds.ts'

/** Key of the mail server that reports bounces. */
export const dsnKey = 'a-dsn-key-that-only-tests-know'

/** A reader of requests, and the requests that it gets. */
export interface Reader {
  readonly name: string
  /** Creates a request: its bytes, which the input determines. */
  request(random: Random): Promise<Buffer> | Buffer
}

/** Creates what requests are about, and returns the readers. */
export async function newReaders(server: HostileServer): Promise<Reader[]> {
  const { world, key } = server
  const form = await world.form()
  const funnel = await world.funnel()
  const step = await world.step(funnel)
  const campaign = await world.campaign()
  const contact = await world.contact({ emailMarketing: true })
  const ref = {
    accountId: world.accountId,
    recipientId: await message(world, contact, { campaignId: campaign.databaseId }),
  }
  const auth = { authorization: `Bearer ${key}` }
  const graphql = (body: Buffer | object) =>
    request('POST', '/graphql', { ...auth, 'content-type': 'application/json' }, body)

  const documents = graphqlSeeds(contact, form, campaign)
  const content = pageSeed()
  const answers = { answers: { [form.questions[0]?.databaseId ?? 0]: 'yes' }, complete: true, email: 'ada@example.com' }
  const secret = 'a secret that only tests know'
  const tokens = [ref, { ...ref, recipientId: 2n ** 62n }, { accountId: 2 ** 31 - 1, recipientId: 0n }].flatMap(
    (each) => [
      `/u/${unsubscribeToken(secret, each)}`,
      `/t/o/${openToken(secret, each)}`,
      `/t/v/${viewToken(secret, each)}`,
      `/t/c/${clickToken(secret, { ...each, linkId: 1 })}`,
    ],
  )
  const paths = [...tokens, '/d/abc', '/d/export.abc', '/d/person.abc', '/c/abc', '/i/abc', '/m/a/b/c']
  const pagePath = `/p/hostile/${funnel.databaseId}/${step.path}`
  const formPath = `/f/${form.databaseId}`
  const http = httpSeeds({ key, formPath, pagePath, unsubscribePath: tokens[0] ?? '' })
  const multipart = multipartSeeds().map((text) => Buffer.from(text))
  const sheets = csvSeeds.map((text) => Buffer.from(text))
  const notices = noticeSeeds.map((text) => Buffer.from(text.replaceAll('\n', '\r\n')))

  return [
    { name: 'HTTP', request: (random) => mutate(http, random) },
    {
      name: 'multipart',
      request: (random) => {
        const path = random.pick([formPath, pagePath, tokens[0] ?? '', '/graphql', '/v1/contact'])
        return request(
          'POST',
          path,
          { ...auth, 'content-type': 'multipart/form-data; boundary=b1' },
          mutate(multipart, random),
        )
      },
    },
    {
      name: 'CSV',
      request: async (random) => {
        const query =
          'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { uploadUrl } }'
        const bytes = mutate(sheets, random)
        if (random.below(3) > 0) return graphql({ query, variables: { input: { csv: bytes.toString() } } })
        const { body } = await server.ask('/graphql', { method: 'POST', body: { query, variables: { input: {} } } })
        const url = JSON.parse(body).data?.contactImportCreate?.uploadUrl ?? `${server.url}/i/abc`
        return request('PUT', new URL(url).pathname, {}, bytes)
      },
    },
    {
      name: 'delivery status notification',
      request: (random) =>
        request(
          'POST',
          '/hooks/bounces/dsn',
          { authorization: `Bearer ${dsnKey}`, 'content-type': 'message/rfc822' },
          mutate(notices, random),
        ),
    },
    {
      name: 'form',
      request: (random) => {
        const json = JSON.stringify(mutateData(answers, random))
        const body = random.below(2) === 0 ? Buffer.from(json) : mutate([Buffer.from(json)], random)
        const type = random.pick(['application/json', 'application/json', 'application/x-www-form-urlencoded'])
        return request('POST', formPath, { 'content-type': type, accept: 'application/json' }, body)
      },
    },
    {
      name: 'GraphQL',
      request: (random) => {
        const seed = random.pick(documents)
        if (random.below(2) === 0) return graphql(mutateData(seed, random) as object)
        if (random.below(2) === 0) return graphql({ ...seed, variables: mutateData(seed.variables, random) })
        const queries = documents.map(({ query }) => Buffer.from(query))
        return graphql({ ...seed, query: mutate(queries, random).toString() })
      },
    },
    {
      name: 'page',
      request: (random) => {
        const query =
          'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }'
        const preview = 'query ($id: ID!, $content: JSON) { funnel(id: $id) { steps { preview(content: $content) } } }'
        const changed = mutateData(content, random)
        return random.below(2) === 0
          ? graphql({ query, variables: { input: { id: step.id, content: changed } } })
          : graphql({ query: preview, variables: { id: funnel.id, content: changed } })
      },
    },
    {
      name: 'token',
      request: (random) => {
        const path = mutate(
          paths.map((each) => Buffer.from(each)),
          random,
        )
          .subarray(0, 9_000)
          .toString('latin1')
        const encoded = path.replace(
          /[^!-~]/g,
          (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
        )
        return request(
          random.pick(['GET', 'POST']),
          `/${encoded.replace(/^\/+/, '')}`,
          {},
          Buffer.from('List-Unsubscribe=One-Click'),
        )
      },
    },
  ]
}

function request(method: string, path: string, headers: Record<string, string>, content: Buffer | object): Buffer {
  const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  const all = { host: 'localhost', connection: 'close', 'content-length': String(body.length), ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'), body])
}
