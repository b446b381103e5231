/** The path of the list of contacts without its total on both servers. */
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

/** A repeated request: its name in the report, and its bytes. */
export interface Question {
  name: string
  request: string
}

/** The requests to which both servers respond alike. */
export function questions(key: string): Question[] {
  return [
    { name: 'REST, 50 contacts, with total', request: get('/v1/contacts?per_page=50', key) },
    { name: 'REST, 50 contacts, without total', request: get(`${uncountedPath}?per_page=50`, key) },
    { name: 'GraphQL, 50 contacts, tags, fields', request: graph(document, { first: 50 }, key) },
  ]
}

/** Returns a page of 50 contacts: the first one, or the one after a cursor. */
export function page(key: string, after: string | null): string {
  return graph(document, { first: 50, after }, key)
}

/** Returns the cursor of the row at a position of the list, counted from 1. */
export function placeOf(key: string, row: number): string {
  return graph(placeDocument, { first: 1, offset: row - 1 }, key)
}

function get(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`
}

/** Returns the bytes of a GraphQL request. */
export function graph(query: string, variables: object, key: string): string {
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
