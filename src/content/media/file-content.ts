import { hash } from 'node:crypto'
import type { MediaContentType } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import type { PictureInput, PictureOutput, PictureType } from './picture.worker.ts'

/** Bytes to store. `width` and `height` are null if they are not known. */
export interface StoredBytes {
  readonly body: Uint8Array
  readonly hash: string
  readonly width: number | null
  readonly height: number | null
}

/** What is stored of an upload: the file itself, and smaller variants of a picture. */
export interface FileContent {
  readonly contentType: MediaContentType
  readonly isAnimated: boolean
  readonly original: StoredBytes
  readonly variants: readonly StoredBytes[]
}

/** The first bytes of each type, as Latin-1. */
const signatures: Readonly<Record<MediaContentType, RegExp>> = {
  GIF: /^GIF8[79]a/,
  JPEG: /^\xff\xd8\xff/,
  PDF: /^%PDF-[12]\.\d/,
  PNG: /^\x89PNG\r\n.\n/s,
  WEBP: /^RIFF.{4}WEBP/s,
}

const readInThread = threadTask<PictureInput, PictureOutput>({
  file: './picture.worker',
  base: import.meta.url,
  name: 'readPicture',
})

/**
 * Finds out what an upload is by its bytes, and returns what is stored of it. Pictures are written anew in a thread.
 *
 * **Throws** VALIDATION_ERROR for `file` if it has no accepted type, another type than `expected`, or is damaged, and
 * RATE_LIMITED if too many pictures are waiting.
 */
export async function readFile(ctx: Ctx, body: Uint8Array, expected: MediaContentType | null): Promise<FileContent> {
  const contentType = typeOf(body)
  if (!contentType) throw fault('must be a PNG, JPEG, GIF, WebP or PDF file')
  if (expected && expected !== contentType) throw fault(`must be of the type ${expected}, but is ${contentType}`)
  if (contentType === 'PDF') return readPdf(body)
  return readPicture(ctx, body, contentType)
}

function typeOf(body: Uint8Array): MediaContentType | undefined {
  const start = latin1(body.subarray(0, 16))
  return (Object.keys(signatures) as MediaContentType[]).find((type) => signatures[type].test(start))
}

/** A PDF is not decoded, because it is only ever downloaded. Its end shows that it is complete. */
function readPdf(body: Uint8Array): FileContent {
  const end = latin1(body.subarray(-1_024))
  if (!end.includes('%%EOF')) throw fault('must be a complete PDF file')
  return { contentType: 'PDF', isAnimated: false, original: asSent(body), variants: [] }
}

async function readPicture(ctx: Ctx, body: Uint8Array, contentType: PictureType): Promise<FileContent> {
  const output = await readInThread(ctx.accountId, { body, contentType }, body.byteLength).catch((error: unknown) => {
    if (error instanceof TaskError) throw tooExpensive()
    throw error
  })
  if ('fault' in output) {
    if (output.fault === 'TOO_MANY_PIXELS')
      throw fault('must have at most 40 megapixels, with all frames of an animation')
    if (output.fault === 'TOO_SLOW') throw tooExpensive()
    if (output.fault === 'INVALID') throw fault(`must be a complete ${contentType} picture without errors`)
    ctx.log.warn('A picture was stored without variants: sharp has no binary for this system.')
    return { contentType, isAnimated: false, original: asSent(body), variants: [] }
  }
  const [original, ...variants] = output.files
  return { contentType, isAnimated: output.isAnimated, original: original as StoredBytes, variants }
}

function asSent(body: Uint8Array): StoredBytes {
  return { body, hash: hash('sha256', body), width: null, height: null }
}

const tooExpensive = () => fault('takes too much time or memory to decode')

const fault = (message: string) => invalid({ file: [message] })

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
