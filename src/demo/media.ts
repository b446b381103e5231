import { crc32, deflateSync } from 'node:zlib'
import { mediaUploads } from '../content/index.ts'
import type { Ctx } from '../db/context.ts'

/** Pictures of the library: a name, a text, and the colours of their top and bottom. */
const pictures = [
  ['Studio at dusk.png', 'The studio after the last workshop of the day', [31, 36, 48], [163, 71, 31]],
  ['Celadon bowl.png', 'A bowl with a celadon glaze', [246, 241, 234], [122, 160, 138]],
] as const

/** Adds two pictures to the media library. */
export async function addMedia(ctx: Ctx): Promise<void> {
  for (const [name, alternativeText, top, bottom] of pictures) {
    const { uploadId } = await mediaUploads.open(ctx, { name, alternativeText })
    await mediaUploads.receive(ctx, uploadId, gradient(1_280, 720, top, bottom), undefined)
  }
}

type Colour = readonly [number, number, number]

/** Draws a PNG whose colour changes from top to bottom. */
function gradient(width: number, height: number, top: Colour, bottom: Colour): Buffer {
  const stride = width * 3 + 1
  const rows = Buffer.alloc(stride * height)
  for (let row = 0; row < height; row += 1) {
    const colour = top.map((from, channel) => from + (((bottom[channel] ?? 0) - from) * row) / height)
    rows.fill(Buffer.from(colour), row * stride + 1, (row + 1) * stride)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  // Eight bits for each of three channels.
  header.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND')])
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
