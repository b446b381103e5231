// Runs in a thread (kernel/work/thread-pool.ts), so it imports only modules without a database or state.
import { hash } from 'node:crypto'
import type { Metadata, Sharp } from 'sharp'

/** Widths of the variants of a picture in pixels, from the smallest. A picture that is not wider has no such variant. */
const variantWidths = [600, 1_200]

/** Maximum pixels of a picture, of all frames together. Decoded, they take 160 MB. */
const maxPixels = 40_000_000

/** Time after which libvips gives up the picture or one of its variants, in seconds. The thread has 30 seconds for all. */
const maxSeconds = 9

export type PictureType = 'GIF' | 'JPEG' | 'PNG' | 'WEBP'

export interface PictureInput {
  readonly body: Uint8Array
  readonly contentType: PictureType
}

/** The bytes of a picture or a variant. `hash` is their SHA-256 in hexadecimal. */
interface PictureFile {
  readonly body: Uint8Array
  readonly hash: string
  readonly width: number
  readonly height: number
}

/** The picture and its variants, or why the input is none; `UNAVAILABLE` if sharp has no binary for this system. */
export type PictureOutput =
  | { readonly isAnimated: boolean; readonly files: readonly PictureFile[] }
  | { readonly fault: 'TOO_MANY_PIXELS' | 'TOO_SLOW' | 'INVALID' | 'UNAVAILABLE' }

type Library = typeof import('sharp').default

const loaders = { GIF: 'NsgifBuffer', JPEG: 'JpegBuffer', PNG: 'PngBuffer', WEBP: 'WebpBuffer' } as const

/**
 * Decodes a picture and writes it anew: what is stored has no metadata, no trailing bytes, and the orientation in which the
 * picture is shown. The first file is the picture itself, the others are its variants.
 */
export async function readPicture({ body, contentType }: PictureInput): Promise<PictureOutput> {
  const sharp = await loadLibrary()
  if (!sharp) return { fault: 'UNAVAILABLE' }
  const open = () => sharp(body, { animated: true, failOn: 'error', limitInputPixels: maxPixels, sequentialRead: true })
  try {
    const metadata = await open().metadata()
    if (metadata.format !== contentType.toLowerCase()) return { fault: 'INVALID' }
    const original = await write(open(), metadata, contentType)
    const files = [original]
    for (const width of variantWidths) {
      if (width >= original.width) break
      const variant = await write(open(), metadata, contentType, width)
      // Some pictures, such as drawings with few colours, take more bytes when they are smaller.
      if (variant.body.byteLength < original.body.byteLength) files.push(variant)
    }
    return { isAnimated: (metadata.pages ?? 1) > 1, files }
  } catch (error) {
    const { message } = error as Error
    return {
      fault: /pixel limit/.test(message) ? 'TOO_MANY_PIXELS' : /^timeout/.test(message) ? 'TOO_SLOW' : 'INVALID',
    }
  }
}

async function write(
  picture: Sharp,
  metadata: Metadata,
  contentType: PictureType,
  width?: number,
): Promise<PictureFile> {
  const oriented = picture.timeout({ seconds: maxSeconds }).autoOrient()
  const sized = width === undefined ? oriented : oriented.resize({ width, withoutEnlargement: true })
  const { data, info } = await encode(sized, metadata, contentType, width === undefined).toBuffer({
    resolveWithObject: true,
  })
  const height = (info as { pageHeight?: number }).pageHeight ?? info.height
  return { body: data, hash: hash('sha256', data), width: info.width, height }
}

/** A picture keeps its format. The original loses as little as the format allows. */
function encode(picture: Sharp, metadata: Metadata, contentType: PictureType, isOriginal: boolean): Sharp {
  const quality = isOriginal ? 85 : 80
  if (contentType === 'JPEG') return picture.jpeg({ quality, progressive: true })
  if (contentType === 'GIF') return picture.gif({ effort: 3 })
  if (contentType === 'WEBP') return picture.webp({ quality })
  return picture.png({ palette: metadata.isPalette })
}

let library: Promise<Library | undefined> | undefined

/** Loads sharp, with the decoders of the accepted formats only. */
function loadLibrary(): Promise<Library | undefined> {
  library ??= import('sharp').then(
    ({ default: sharp }) => {
      sharp.cache(false)
      sharp.concurrency(1)
      sharp.block({ operation: ['VipsForeignLoad'] })
      sharp.unblock({ operation: Object.values(loaders).map((name) => `VipsForeignLoad${name}`) })
      return sharp
    },
    () => undefined,
  )
  return library
}
