import type { Context } from 'koa'
import type { System } from '../../db/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import { HttpProblem, httpRoute } from '../../kernel/web/http-route.ts'
import { contentTypes } from './media-name.ts'
import { type ObjectStore, ObjectStoreError } from './object-store.ts'
import { findFile, type ServedFile } from './served-files.ts'
import { takePlace } from './upload-limits.ts'
import { findByLink, maxFileBytes, mustBeOpen, receive } from './uploads.ts'

interface MediaServices {
  readonly system: System
  /** Where bytes are kept, if not in the database. */
  readonly media: ObjectStore | undefined
}

/** Pages of other sites may upload to a link that they were given. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'PUT, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '86400',
}

const problem = (status: number, message: string) => new HttpProblem(status, 'The upload failed', message)

/** Status of the errors of an upload that are not about the file. */
const statuses: Partial<Record<Refusal['code'], number>> = {
  NOT_FOUND: 409,
  QUOTA_EXCEEDED: 403,
  RATE_LIMITED: 429,
}

/** Returns 503 for an error of the object store, whose reason the log contains, and any other error as it is. */
function unlessOutage(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error
  return Object.assign(problem(503, 'The store of media files does not respond. Try again in a few seconds.'), {
    cause: error,
  })
}

async function sendFile(http: Context, { contentType, name, bytes, read }: ServedFile): Promise<void> {
  const readOrFail = () =>
    read().catch((error: unknown) => {
      http.remove('ETag')
      throw unlessOutage(error)
    })
  const body = http.method === 'HEAD' ? undefined : await readOrFail()
  // Characters beyond ASCII are in an encoded copy of the name.
  if (contentType === 'PDF') http.attachment(name, { fallback: name.replace(/[^ -~]/g, '_') })
  http.type = contentTypes[contentType].mediaType
  http.length = bytes
  if (body) http.body = body
}

export const mediaRoutes = [
  httpRoute('/m/:link', {
    area: 'server',
    summary: 'Upload of a media file, to a signed link.',
    methods: ['PUT', 'OPTIONS'],
    headers: { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex', ...crossOrigin },
    limiter: 'files',
    maxBodyBytes: maxFileBytes,
    bodyTimeoutMs: 3 * 60 * 1_000,
    async handle({ http, params, readBody }, { system, media: store }: MediaServices) {
      if (http.method === 'OPTIONS') {
        http.status = 204
        return
      }
      const found = await findByLink(system, params.link, http.ip)
      if (!found) throw problem(404, 'The upload link is invalid, or has expired.')
      if (http.get('content-encoding')) throw problem(415, 'The file must not be compressed.')
      const { ctx, uploadId } = found
      const place = takePlace(ctx.accountId, () => http.req.destroy())
      if (!place) {
        http.set('Retry-After', '2')
        throw problem(429, 'Too many files are being uploaded. Try again in a few seconds.')
      }
      try {
        await mustBeOpen(ctx, uploadId)
        const body = await readBody()
        place.keep()
        const { id, hash } = await receive(ctx, uploadId, body, store)
        http.body = { id, hash }
      } catch (error) {
        const status = error instanceof Refusal ? statuses[error.code] : undefined
        throw status === undefined ? unlessOutage(error) : problem(status, (error as Refusal).message)
      } finally {
        place.leave()
      }
    },
  }),
  httpRoute('/m/:account/:hash/:name', {
    area: { sandbox: '' },
    summary: 'A media file or a variant of it. The hash is that of its bytes, so it never changes.',
    methods: ['GET'],
    otherMethods: 404,
    headers: {
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      // Files are public and never depend on who asks, so scripts may read what they can show: the console crops pictures.
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'no-cache',
    },
    limiter: 'downloads',
    async handle({ http, params }, { system, media: store }: MediaServices) {
      const file = await findFile(system, store, params)
      if (!file) return
      http.etag = params.hash
      // `fresh` requires a successful status.
      http.status = 200
      if (http.fresh) http.status = 304
      else await sendFile(http, file)
      // An error must not be cached.
      http.set('Cache-Control', 'public, max-age=31536000, immutable')
    },
  }),
]
