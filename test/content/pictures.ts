import { Buffer } from 'node:buffer'
import sharp from 'sharp'
import type { World } from '../support/world.ts'

interface Content {
  /** Whether the picture is noise, which takes many bytes. Defaults to one colour. */
  readonly noise?: boolean
}

/** Creates a picture. */
export function picture(width: number, height: number, { noise = false }: Content = {}) {
  if (!noise) return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 80, b: 40 } } })
  return sharp(noiseOf(width * height * 3), { raw: { width, height, channels: 3 } })
}

/** Creates an animated GIF. */
export function animation(width: number, height: number, frames: number, { noise = false }: Content = {}) {
  const frameBytes = width * height * 3
  const raw = noise ? noiseOf(frameBytes * frames) : Buffer.alloc(frameBytes * frames)
  if (!noise) for (let frame = 0; frame < frames; frame += 1) raw.fill(frame * 20, frame * frameBytes)
  return sharp(raw, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
    .gif({ delay: Array.from({ length: frames }, () => 100), loop: 0 })
    .toBuffer()
}

/** Returns bytes without a pattern, the same ones each time. */
function noiseOf(length: number): Buffer {
  const raw = Buffer.alloc(length)
  for (let at = 0, state = 1; at < length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    raw[at] = state >> 16
  }
  return raw
}

/** The smallest PDF that readers open. */
export const pdf = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n',
)

export const Create = 'mutation ($input: MediaCreateInput!) { mediaCreate(input: $input) { uploadUrl expiresAt } }'
export const fields = `id databaseId name alternativeText contentType bytes width height isAnimated hash url createdAt updatedAt
  variants { width height bytes url }`
const Read = `query ($id: ID!) { mediaItem(id: $id) { ${fields} } }`

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
type Data = any

/** Creates an upload link. */
export async function newLink(world: World, input: object = {}): Promise<string> {
  return (await world.run(Create, { input: { name: 'picture.png', ...input } })).mediaCreate.uploadUrl
}

/** Uploads bytes to a link. */
export async function put(url: string, body: BodyInit | Buffer, init: RequestInit = {}) {
  const response = await fetch(url, { method: 'PUT', body: body as BodyInit, duplex: 'half', ...init } as RequestInit)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as Data }
}

/** Uploads a file and returns it. */
export async function upload(world: World, body: Buffer, input: object = {}): Promise<Data> {
  const { status, body: stored } = await put(await newLink(world, input), body)
  if (status !== 200) throw new Error(JSON.stringify(stored))
  return (await world.run(Read, { id: stored.id })).mediaItem
}
