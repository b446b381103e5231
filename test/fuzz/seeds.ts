import { page } from '../funnels/documents.ts'

/** Requests to all kinds of readers as bytes. */
export function httpSeeds(paths: {
  key: string
  formPath: string
  pagePath: string
  unsubscribePath: string
}): Buffer[] {
  const { key, formPath, pagePath, unsubscribePath } = paths
  const auth = `Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n`
  const json =
    '{"query":"query A($first: Int) { contacts(first: $first) { nodes { email } } }","variables":{"first":2}}'
  return [
    `GET /v1/contacts?limit=10&page=1&email=a%40b.example HTTP/1.1\r\n${auth}\r\n`,
    `GET /graphql?query=%7B%20viewer%20%7B%20email%20%7D%20%7D HTTP/1.1\r\n${auth}Accept: text/event-stream\r\n\r\n`,
    `POST /graphql HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    `POST /graphql HTTP/1.1\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(json)}`,
    `POST /v1/contact HTTP/1.1\r\n${auth}Content-Type: application/json\r\nContent-Length: 27\r\n\r\n{"email":"ada@example.com"}`,
    `POST ${formPath} HTTP/1.1\r\n${auth}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 11\r\n\r\nq1=yes&q2=2`,
    `POST ${pagePath} HTTP/1.1\r\n${auth}Cookie: a=b; c=d\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    `POST ${unsubscribePath} HTTP/1.1\r\n${auth}Content-Length: 26\r\n\r\nList-Unsubscribe=One-Click`,
    'GET /graphql HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n\x81\x05hello',
    `GET /docs HTTP/1.1\r\n${auth}Range: bytes=0-10\r\nIf-None-Match: "x"\r\nAccept-Encoding: gzip, br\r\n\r\n`,
    `OPTIONS /graphql HTTP/1.1\r\n${auth}Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  ].map((text) => Buffer.from(text, 'latin1'))
}

function chunked(text: string): string {
  return `${[text.slice(0, 20), text.slice(20)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`
}

/** Documents with variables. */
export function graphqlSeeds(contact: { id: string }, form: { id: string }, campaign: { id: string }) {
  return [
    {
      query: `query A($first: Int!, $filter: ContactFilterInput, $order: ContactOrder) {
        contacts(first: $first, filter: $filter, orderBy: $order) { totalCount nodes { ...F } pageInfo { endCursor } } }
        fragment F on Contact { id email tags { name } customFields { label value } }`,
      operationName: 'A',
      variables: {
        first: 5,
        filter: {
          and: [
            { email: { contains: 'a' } },
            { not: { tags: { any: [1, 2] } } },
            { createdAt: { gte: '2026-01-01T00:00:00Z' } },
          ],
        },
        order: { field: 'EMAIL', direction: 'ASC' },
      },
    },
    {
      query: 'mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id email } } }',
      variables: {
        input: {
          email: 'grace@example.com',
          firstName: 'Grace',
          phone: '+33612345678',
          city: 'Lyon',
          tags: ['a', 'b'],
        },
      },
    },
    {
      query:
        'query ($ids: [ID!]!) { a: node(id: "x") { id } nodes(ids: $ids) { __typename id ... on Contact { email } } }',
      variables: { ids: [contact.id, form.id, campaign.id, '1'] },
    },
    {
      query:
        'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { email { preview { html text } } check { findings { message } } } } }',
      variables: {
        input: {
          id: campaign.id,
          html: '<!--[if mso]><v:rect href="https://a.example/{{EMAIL}}"></v:rect><![endif]--><table><tr><td style="font-size:0">{{FIRST_NAME:x}}</td><td><a href="{{UNSUBSCRIBE_URL}}">Bye</a></td></tr></table><ol start="2"><li>A</ol><img alt="B">',
          text: 'Hello {{FIRST_NAME}} {{UNSUBSCRIBE_URL}}',
        },
      },
    },
    {
      query: 'mutation ($input: InvoiceIssueInput!) { invoiceIssue(input: $input) { invoice { number } } }',
      variables: {
        input: {
          customer: { email: 'a@b.example', firstName: 'A' },
          lines: [{ name: 'Bowl', unitPrice: '12.50', quantity: 2, vatRate: '20' }],
        },
      },
    },
    {
      query:
        'query ($f: AudienceFilterInput!) { audience(filter: $f) { total } __schema { types { name fields { name type { name ofType { name } } } } } }',
      variables: { f: { tags: { any: [1], none: [4] } } },
    },
  ]
}

/** A page with each kind of element. */
export function pageSeed(): object {
  return page(
    { type: 'title', text: 'Hello {{FIRST_NAME:you}}', level: 1 },
    { type: 'text', text: 'A <b>bowl</b>', html: '<p onclick="x">A</p>' },
    { type: 'html', html: '<ul><li><a href="javascript:x">A</a></ul><style>p{}</style>' },
    { type: 'image', src: 'https://a.example/a.png', alt: 'A' },
    { type: 'button', text: 'Go', href: 'https://a.example/{{EMAIL}}', action: 'next' },
    { type: 'form', id: 'join', fields: [{ name: 'email', type: 'email', required: true }] },
    { type: 'video', url: 'https://a.example/v.mp4' },
    { type: 'countdown', until: '2027-01-01T00:00:00Z' },
  )
}

/** Bodies with the boundary `b1`. */
export function multipartSeeds(): string[] {
  const part = (head: string, body: string) => `--b1\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
  const operations = '{"query":"mutation ($f: Upload!) { x(f: $f) }","variables":{"f":null}}'
  return [
    `${part('name="List-Unsubscribe"', 'One-Click')}--b1--\r\n`,
    `${part('name="operations"', operations)}${part('name="map"', '{"0":["variables.f"]}')}${part('name="0"; filename="a.csv"\r\nContent-Type: text/csv', 'a,b')}--b1--\r\n`,
    `${part('name="email"', 'ada@example.com')}${part("name*=utf-8''a%20b", 'x')}--b1--\r\n`,
  ]
}

/** Files of contacts. */
export const csvSeeds = [
  'email,first name,last name,tags,phone\nada@example.com,Ada,"Love, ""lace""","a;b",+441\ngrace@example.com,Grace,,,\n',
  'sep=;\nE-Mail;Vorname;Land\nada@example.com;Ada;Köln\n',
  '\ufeffemail\tcity\tcreated\nada@example.com\tParis\t2026-02-30\n',
  'email,gdpr,email_marketing\r\nada@example.com,yes,1\r\n"a\nb@example.com",no,0\r\n',
]

/** Returned messages, complaints, and messages that look like them. */
export const noticeSeeds = [
  `From: MAILER-DAEMON@mx.example.com
To: ada@example.org
Subject: =?utf-8?Q?Undelivered_Mail?=
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b1"

--b1
Content-Type: text/plain; charset=iso-8859-15
Content-Transfer-Encoding: quoted-printable

It could not be deliver=E9.

--b1
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.com

Final-Recipient: rfc822; bob@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <bob@example.com>:
 no such user

--b1
Content-Type: message/rfc822
Content-Transfer-Encoding: base64

RnJvbTogYUBiLmV4YW1wbGUNCg0KeA==

--b1--
`,
  `From: abuse@mx.example.com
Content-Type: multipart/report; report-type=feedback-report; boundary=b2

--b2
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1
Original-Rcpt-To: <bob@example.com>

--b2
Content-Type: text/rfc822-headers

Message-ID: <1.2.000000000000000000000000@example.org>

--b2--
`,
  `From: MAILER-DAEMON@mx.example.com
Subject: failure notice

Hi. This is the mail program.
<bob@example.com>:
192.0.2.1 does not like recipient.
Remote host said: 550 no such user
`,
]
