/** Where both servers answer the list of contacts without its total. */
export const uncountedPath = '/v1/contacts-uncounted'

const document = `query Contacts($first: Int, $after: String) {
  contacts(first: $first, after: $after) {
    nodes {
      databaseId email firstName lastName emailMarketing gdpr createdAt
      tags { databaseId name }
      customFields { label value }
    }
  }
}`

const placeDocument = `query Place($first: Int, $offset: Int) {
  contacts(first: $first, offset: $offset) { pageInfo { endCursor } }
}`

/** A question that is asked many times: its name in the report, and the request as it stands on the wire. */
export interface Question {
  name: string
  request: string
}

/** The questions that both servers answer alike. */
export function questions(key: string): Question[] {
  return [
    { name: 'REST, 50 contacts, with total', request: get('/v1/contacts?per_page=50', key) },
    { name: 'REST, 50 contacts, without total', request: get(`${uncountedPath}?per_page=50`, key) },
    { name: 'GraphQL, 50 contacts, tags, fields', request: graph(document, { first: 50 }, key) },
  ]
}

/** A page of 50 contacts: the first one, or the one behind a cursor. */
export function page(key: string, after: string | null): string {
  return graph(document, { first: 50, after }, key)
}

/** Asks for the cursor of the row that stands at a place in the list, counted from 1. */
export function placeOf(key: string, row: number): string {
  return graph(placeDocument, { first: 1, offset: row - 1 }, key)
}

function get(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`
}

function graph(query: string, variables: object, key: string): string {
  const body = JSON.stringify({ query, variables })
  return [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Accept: application/json',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
