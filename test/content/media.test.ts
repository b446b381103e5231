import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { animation, newLink, pdf, picture, put, upload } from './pictures.ts'
import { storedMedia } from './stored.ts'

const get = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')

describe('a picture', () => {
  it('is uploaded, served under its hash and deleted with its bytes', async () => {
    const world = await newWorld()
    const media = await upload(world, await picture(40, 30).png().toBuffer(), { alternativeText: 'Clay' })
    expect(media).toMatchObject({
      name: 'picture.png',
      alternativeText: 'Clay',
      contentType: 'PNG',
      width: 40,
      height: 30,
      isAnimated: false,
      variants: [],
      url: expect.stringMatching(new RegExp(`/m/[0-9a-z]+-[0-9a-f]{32}/${media.hash}/picture[.]png$`)),
    })
    const served = await get(media.url)
    expect(served.status).toBe(200)
    expect(sha256(served.body)).toBe(media.hash)
    expect(served.body.byteLength).toBe(media.bytes)
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(media.bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'access-control-allow-origin': '*',
    })
    expect(served.headers.get('access-control-allow-credentials')).toBeNull()
    expect(served.headers.get('content-disposition')).toBeNull()
    const etag = served.headers.get('etag') as string
    // Without the directive, fetch asks for a new response.
    const fresh = { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' }
    expect((await get(media.url, { headers: fresh })).status).toBe(304)
    expect(await get(media.url, { method: 'HEAD' })).toMatchObject({ status: 200, body: Buffer.alloc(0) })
    expect(await world.announced('media.created')).toEqual([
      { type: 'media.created', data: { mediaId: media.databaseId } },
    ])

    const deleted = await world.run(
      'mutation ($id: ID!) { mediaDelete(input: { id: $id }) { deletedMediaId deletedMediaDatabaseId } }',
      { id: media.id },
    )
    expect(deleted.mediaDelete).toEqual({ deletedMediaId: media.id, deletedMediaDatabaseId: media.databaseId })
    expect((await get(media.url)).status).toBe(404)
    expect(await world.rows('SELECT FROM media_file WHERE account_id = $1', [world.accountId])).toEqual([])
    expect(await world.announced('media.deleted')).toHaveLength(1)
  })

  it('has variants that are narrower, each under a hash of its own', async () => {
    const world = await newWorld()
    const media = await upload(world, await picture(1_600, 800).jpeg().toBuffer(), { name: 'wide.jpg' })
    expect(media.variants).toMatchObject([
      { width: 600, height: 300 },
      { width: 1_200, height: 600 },
    ])
    for (const { url, bytes, width } of media.variants) {
      const { body, headers } = await get(url)
      expect([body.byteLength, headers.get('content-type')]).toEqual([bytes, 'image/jpeg'])
      expect((await sharp(body).metadata()).width).toBe(width)
      expect(url).toContain(`/${sha256(body)}/wide.jpg`)
    }
    const middle = await upload(world, await picture(900, 10).png().toBuffer())
    expect(middle.variants).toMatchObject([{ width: 600 }])
    const exact = await upload(world, await picture(600, 10).png().toBuffer())
    expect(exact.variants).toEqual([])
  })

  it('has no variant that takes more bytes', async () => {
    const world = await newWorld()
    const grey = picture(1_300, 300, { noise: true }).png({ palette: true, colours: 2 })
    const media = await upload(world, await grey.toBuffer())
    expect([media.width, media.variants]).toEqual([1_300, []])
  })

  it('has the orientation in which it is shown, and no metadata', async () => {
    const world = await newWorld()
    const body = await picture(800, 400)
      .withExif({ IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect(await sharp(body).metadata()).toMatchObject({ orientation: 6, exif: expect.anything() })
    const media = await upload(world, body)
    expect(media).toMatchObject({
      contentType: 'JPEG',
      width: 400,
      height: 800,
      url: expect.stringMatching(/picture[.]png[.]jpg$/),
    })
    const { exif, orientation } = await sharp((await get(media.url)).body).metadata()
    expect([exif, orientation]).toEqual([undefined, undefined])
  })

  it('stays animated', async () => {
    const world = await newWorld()
    const media = await upload(world, await animation(700, 20, 4, { noise: true }), { name: 'a.gif' })
    expect(media).toMatchObject({ contentType: 'GIF', isAnimated: true, width: 700, height: 20 })
    expect(media.variants).toMatchObject([{ width: 600, height: 17 }])
    for (const url of [media.url, media.variants[0].url])
      expect((await sharp((await get(url)).body, { animated: true }).metadata()).pages).toBe(4)
  })

  it('is stored once in an account, and keeps its name', async () => {
    const world = await newWorld()
    const body = await picture(30, 30).webp().toBuffer()
    const first = await upload(world, body, { name: 'first.webp' })
    const again = await upload(world, body, { name: 'again.webp' })
    expect(again).toEqual(first)
    expect(await world.announced('media.created')).toHaveLength(1)
  })

  it('is not shared between accounts', async () => {
    const world = await newWorld()
    const other = await world.other()
    const body = await picture(31, 31).png().toBuffer()
    const [own, foreign] = [await upload(world, body), await upload(other, body)]
    expect(foreign.hash).toBe(own.hash)
    const single = await upload(other, await picture(32, 32).png().toBuffer())
    const [, token] = /\/m\/([^/]+)\//.exec(own.url) ?? []
    const [, foreignToken] = /\/m\/([^/]+)\//.exec(foreign.url) ?? []
    expect(token).not.toBe(foreignToken)
    // The hash of another account, its token with the number of this one, and the other way round.
    const number = (token as string).replace(/-.*/, '')
    for (const wrong of [
      single.url.replace(foreignToken as string, token as string),
      own.url.replace(token as string, `${number}-${foreignToken?.replace(/.*-/, '')}`),
      own.url.replace(/.(?=\/picture)/, (last: string) => (last === '0' ? '1' : '0')),
      own.url.replace(/\/m\/[^/]+/, '/m/x'),
    ])
      expect((await get(wrong)).status).toBe(404)
    await world.run('mutation ($id: ID!) { mediaDelete(input: { id: $id }) { deletedMediaId } }', { id: own.id })
    expect((await get(foreign.url)).status).toBe(200)
  })
})

describe('a PDF', () => {
  it('is stored as it is, and served as a download', async () => {
    const world = await newWorld()
    const media = await upload(world, pdf, { name: 'é.pdf' })
    expect(media).toMatchObject({ contentType: 'PDF', width: null, height: null, variants: [], hash: sha256(pdf) })
    const { headers, body } = await get(media.url)
    expect(body).toEqual(pdf)
    expect(headers.get('content-type')).toBe('application/pdf')
    expect(headers.get('content-disposition')).toBe(`attachment; filename="_.pdf"; filename*=UTF-8''%C3%A9.pdf`)
  })
})

describe('a media file', () => {
  it('of many parts is served as a whole', async () => {
    const world = await newWorld()
    const large = Buffer.concat([pdf, randomBytes(700_000), pdf])
    const media = await upload(world, large, { name: 'large.pdf' })
    const { body, headers } = await get(media.url)
    expect(body.equals(large)).toBe(true)
    expect(headers.get('content-length')).toBe(String(large.byteLength))
  })

  it('is not served on a host that is only that of the console', async () => {
    const server = await newServer({ CONSOLE_URL: 'http://console.example.com' })
    const world = await newWorld({ server })
    const stored = await storedMedia(world, 'stored.png')
    const { mediaItem } = await world.run('query ($id: ID!) { mediaItem(id: $id) { url } }', stored)
    const { host: ownHost, pathname } = new URL(mediaItem.url)
    const as = async (host: string) => {
      const sent = request({ port: server.app.address.port, host: '127.0.0.1', path: pathname, headers: { host } })
      sent.end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return [response.statusCode, await text(response)]
    }
    expect(await as(ownHost)).toEqual([200, 'stored.png'])
    expect((await as('console.example.com'))[0]).toBe(404)
  })

  it('is renamed, and its earlier URL stays valid', async () => {
    const world = await newWorld()
    const media = await upload(world, await picture(20, 20).png().toBuffer())
    const Update =
      'mutation ($input: MediaUpdateInput!) { mediaUpdate(input: $input) { media { name alternativeText url } } }'
    const { mediaUpdate } = await world.run(Update, {
      input: { id: media.id, name: 'größer.png', alternativeText: 'x' },
    })
    expect(mediaUpdate.media).toMatchObject({ name: 'größer.png', alternativeText: 'x' })
    expect(mediaUpdate.media.url).toContain('/gr%C3%B6%C3%9Fer.png')
    for (const url of [media.url, mediaUpdate.media.url]) expect((await get(url)).status).toBe(200)
    expect(await world.announced('media.updated')).toHaveLength(1)
    const stale = { input: { id: media.id, name: 'b.png', expectedUpdatedAt: media.updatedAt } }
    expect((await world.fault(Update, stale)).extensions.code).toBe('CONFLICT')
  })

  it('is listed by name, type, size and time', async () => {
    const world = await newWorld()
    await upload(world, await picture(50, 50).png().toBuffer(), { name: 'Blue vase.png' })
    await upload(world, pdf, { name: 'Prices.pdf' })
    const names = async (args: string) =>
      (await world.run(`{ media(${args}) { nodes { name } } }`)).media.nodes.map(({ name }: { name: string }) => name)
    expect(await names('filter: { name: { contains: "vase" } }')).toEqual(['Blue vase.png'])
    expect(await names('filter: { contentType: [PDF] }')).toEqual(['Prices.pdf'])
    expect(await names('filter: { createdAt: { gt: "2000-01-01T00:00:00Z" }, search: "pri" }')).toEqual(['Prices.pdf'])
    expect(await names('orderBy: { field: NAME, direction: ASC }')).toEqual(['Blue vase.png', 'Prices.pdf'])
    expect(await names('orderBy: { field: CREATED_AT, direction: ASC }')).toEqual(['Blue vase.png', 'Prices.pdf'])
    expect(await names('orderBy: { field: BYTES, direction: ASC }')).toHaveLength(2)
  })

  it('takes a number of statements that does not depend on the number of files', async () => {
    const world = await newWorld()
    const read = () => world.run('{ media { nodes { url variants { url } } } }')
    await upload(world, await picture(700, 10).png().toBuffer())
    const one = await world.statements(read)
    for (let width = 701; width < 704; width += 1) await upload(world, await picture(width, 10).png().toBuffer())
    expect(await world.statements(read)).toBe(one)
  })
})

describe('the quota of media', () => {
  it('is refused by name, and is free again after a deletion', async () => {
    const world = await newWorld()
    await world.rows('UPDATE account SET limit_media_kilobytes = 20 WHERE id = $1', [world.accountId])
    const noise = await picture(100, 100, { noise: true }).png().toBuffer()
    expect(noise.byteLength).toBeGreaterThan(11 * 1024)
    const first = await upload(world, noise)
    const refused = await put(await newLink(world), await picture(101, 100, { noise: true }).png().toBuffer())
    expect(refused).toMatchObject({ status: 403, body: { message: expect.stringContaining('The quota "media"') } })
    expect((await world.run('{ media { totalCount } }')).media.totalCount).toBe(1)
    const Quota = '{ account { limits { mediaKilobytes } quota { mediaKilobytes { limit used remaining } } } }'
    const used = Math.ceil(first.bytes / 1024)
    expect((await world.run(Quota)).account).toEqual({
      limits: { mediaKilobytes: 20 },
      quota: { mediaKilobytes: { limit: 20, used, remaining: 20 - used } },
    })
    await world.run('mutation ($id: ID!) { mediaDelete(input: { id: $id }) { deletedMediaId } }', { id: first.id })
    expect((await world.run(Quota)).account.quota.mediaKilobytes.used).toBe(0)
    expect(await upload(world, await picture(101, 100, { noise: true }).png().toBuffer())).toMatchObject({ width: 101 })
  })
})
