import { expect } from 'vitest'

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
  body: any
}

export interface Sent {
  query?: Readonly<Record<string, string | number | readonly string[]>>
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** The API key; null sends none. */
  key?: string | null
}

/** Sends a request. A string or bytes as `body` are sent unchanged. */
export async function send(base: string, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { query = {}, body, headers = {}, key = null } = sent
  // A path that begins with two slashes is no host.
  const url = new URL(path.startsWith('//') ? `${new URL(base).origin}${path}` : path, base)
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) url.searchParams.append(name, String(one))
  }
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Asserts an error response: its envelope has exactly these properties. */
export function expectError(answer: Answer, status: number, code: string, fields?: readonly string[]): void {
  expect(answer.body).toEqual({
    success: false,
    error: {
      code,
      message: expect.any(String),
      ...(fields && { details: Object.fromEntries(fields.map((field) => [field, expect.any(Array)])) }),
    },
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
}
