import { ownAccount } from '../../account/index.ts'
import { type Ctx, many, one } from '../../db/context.ts'
import { filterOn, onColumns } from '../../db/filters/filter.ts'
import { identity, number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { servedName } from './media-name.ts'

export const mediaTable = table('Media', 'm', { noun: 'media file' })
export type Media = RowOf<typeof mediaTable>

/** The filter of media files. */
export const mediaFilter = filterOn(mediaTable, {
  id: identity('Media'),
  ...onColumns(text, mediaTable, 'name'),
  contentType: oneOf<Media['contentType']>('MediaContentType', sql`m.content_type`, 'media_content_type'),
  ...onColumns(number, mediaTable, 'bytes'),
  ...onColumns(time, mediaTable, 'createdAt'),
  search: search(documentOf(sql`m.name`)),
})

/** All media files of an account. */
export const media = newList(mediaTable, {
  name: 'media files',
  orders: { CREATED_AT: 'createdAt', NAME: 'name', BYTES: 'bytes' },
  filter: mediaFilter,
})

/** Returns the media files of the account. Newest first by default. */
export const list = pagesOf(media)

/** Loads media files by id; locks a media file until the transaction ends. */
export const { byId, lock } = mediaTable

/** A smaller variant of a picture, with what its URL is built from. */
export interface Variant extends Pick<Media, 'name' | 'contentType' | 'hash' | 'bytes'> {
  readonly mediaId: number
  readonly width: number
  readonly height: number
}

/** Loads the variants of pictures by id, the smallest one first. */
export const variantsOf = many<number, Variant>(async (ctx, ids) => {
  const rows = await ctx.sql<Variant>`
    SELECT f.media_id AS "mediaId", f.hash, f.bytes, f.width, f.height, m.name, m.content_type AS "contentType"
    FROM media_file f JOIN media m ON m.account_id = f.account_id AND m.id = f.media_id
    WHERE f.account_id = ${ctx.sql.account} AND f.media_id = ANY(${ids}::int[]) AND f.hash <> m.hash
    ORDER BY f.media_id, f.width`
  return Map.groupBy(rows, ({ mediaId }) => mediaId)
})

/** Returns the sizes of files in bytes, by those of the URLs that are of files of the account. One statement, or none. */
export async function sizesOf(ctx: Ctx, urls: readonly string[]): Promise<Map<string, number>> {
  if (urls.length === 0) return new Map()
  const path = await pathOf(ctx)
  const hashes = urls.flatMap((url) => {
    const at = url.indexOf(path)
    return at < 0 ? [] : [[url, url.slice(at + path.length, at + path.length + 64)] as const]
  })
  if (hashes.length === 0) return new Map()
  const rows = await ctx.sql<{ hash: string; bytes: number }>`
    SELECT f.hash, max(f.bytes) AS bytes FROM media_file f
    WHERE f.account_id = ${ctx.sql.account} AND f.hash = ANY(${hashes.map(([, hash]) => hash)}::text[]) GROUP BY f.hash`
  const bytesOf = new Map(rows.map(({ hash, bytes }) => [hash, bytes]))
  return new Map(hashes.flatMap(([url, hash]) => (bytesOf.has(hash) ? [[url, bytesOf.get(hash) as number]] : [])))
}

/** Loads the sizes of files in bytes by URL. Null if the URL is not that of a file of the account. */
export const sizeByUrl = one<string, number>(sizesOf)

/** Returns the path with which the URLs of all media files of the account begin, without their host. */
export async function pathOf(ctx: Ctx): Promise<string> {
  const { id, mediaToken } = await ownAccount(ctx)
  return `/m/${id.toString(36)}-${mediaToken.replaceAll('-', '')}/`
}

/** Returns the public URL of a file. It stays valid until the file is deleted, whatever name it gets. */
export async function urlOf(ctx: Ctx, file: Pick<Media, 'name' | 'contentType' | 'hash'>): Promise<string> {
  return `${ctx.baseUrl()}${await pathOf(ctx)}${file.hash}/${encodeURIComponent(servedName(file))}`
}
