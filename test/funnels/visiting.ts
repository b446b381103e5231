import { request } from 'node:http'
import type { Server } from '../support/server.ts'

/** Response of a page. */
export interface PageResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** The cookies that were set, as a browser sends them; undefined if none was set. */
  cookie: string | undefined
}

export interface VisitOptions {
  method?: string
  headers?: Record<string, string>
  cookie?: string | undefined
  /** Form fields, or the text of a body. */
  form?: Record<string, string | string[]> | string
  json?: unknown
}

export const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Requests a page as a browser does. Sets the Host header, which `fetch` does not allow. */
export async function requestPage(server: Server, path: string, options: VisitOptions = {}): Promise<PageResponse> {
  const { form, json, cookie } = options
  const body =
    json !== undefined
      ? JSON.stringify(json)
      : form === undefined || typeof form === 'string'
        ? form
        : new URLSearchParams(
            Object.entries(form).flatMap(([name, value]) =>
              [value].flat().map((each): [string, string] => [name, each]),
            ),
          ).toString()
  const { host, port } = server.app.address
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host,
        port,
        path,
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        headers: {
          'user-agent': browser,
          ...(body !== undefined && {
            'content-type': json === undefined ? 'application/x-www-form-urlencoded' : 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
          ...(cookie !== undefined && { cookie }),
          ...options.headers,
        },
      },
      (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(pieces).toString(),
            cookie: answer.headers['set-cookie']?.map((each) => each.split(';')[0]).join('; '),
          }),
        )
      },
    )
    asked.on('error', reject)
    asked.end(body)
  })
}
