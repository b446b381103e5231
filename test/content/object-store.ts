import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { AwsV4Signer } from 'aws4fetch'
import { atEnd } from '../support/ends.ts'

const keys = { accessKeyId: 'media-key', secretAccessKey: 'a secret/+key', region: 'eu-west-1' }

/** A store with the API of S3, in memory. It signs each request again, and refuses those with another signature. */
export interface FakeStore {
  /** The value of MEDIA_URL. */
  url: string
  readonly objects: Map<string, Buffer>
  /** Methods and statuses of all requests. */
  readonly requests: string[]
  /** Methods that return 500. */
  readonly failing: Set<string>
  /** Number of objects after which requests get no response. */
  most: number
}

export async function newFakeStore(): Promise<FakeStore> {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  const failing = new Set<string>()
  const store = { url: '', objects, requests, failing, most: Number.POSITIVE_INFINITY }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const body = await buffer(request)
    const object = objects.get(path)
    const respond = (status: number, content?: Buffer) => {
      requests.push(`${method} ${status}`)
      response.writeHead(status).end(content)
    }
    if (!(await isSigned(request, body))) return respond(403)
    if (failing.has(method)) return respond(500)
    if (objects.size >= store.most) return
    if (method === 'PUT') objects.set(path, body)
    if (method === 'DELETE') objects.delete(path)
    if (method === 'GET') return object ? respond(200, object) : respond(404)
    return respond(method === 'PUT' ? 200 : 204)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  const { port } = server.address() as AddressInfo
  const login = `${keys.accessKeyId}:${encodeURIComponent(keys.secretAccessKey)}`
  store.url = `s3://${login}@127.0.0.1:${port}/bucket/folder?region=${keys.region}&tls=off`
  return store
}

async function isSigned({ headers, method = '', url }: IncomingMessage, body: Buffer): Promise<boolean> {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
  const signed = Object.fromEntries(
    names.filter((name) => name !== 'host').map((name) => [name, String(headers[name] ?? '')]),
  )
  const signer = new AwsV4Signer({
    ...keys,
    service: 's3',
    method,
    url: `http://${headers.host}${url}`,
    headers: signed,
    body: body.length > 0 ? new Uint8Array(body) : null,
    datetime: String(headers['x-amz-date']),
    allHeaders: true,
  } as ConstructorParameters<typeof AwsV4Signer>[0])
  return (await signer.authHeader()) === headers.authorization
}
