import { type Ctx, many, one } from '../../db/context.ts'
import { join, rowsOf, type Sql, sql } from '../../db/sql.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { may } from '../../kernel/scopes.ts'
import { type MediaPlace, type PlaceKind, ports } from '../ports.ts'
import { pathOf } from './media-list.ts'

/** Maximum number of media files that one place uses, and of places that `usedIn` returns and a replacement changes. */
const maxFiles = 1_000
export const maxPlaces = 200

/** Maximum size of the texts that a replacement writes again, in bytes. */
const maxReplacedBytes = 50_000_000

/** Maximum number of places that an error names. */
const maxNamed = 5

/** The columns of `media_use` that refer to places. A row with none of them is a use by the brand. */
const columns = {
  email: sql`email_id`,
  step: sql`step_id`,
  reusableBlock: sql`reusable_block_id`,
  template: sql`template_id`,
} as const satisfies Record<Exclude<PlaceKind, 'brand'>, Sql>
type ColumnKind = keyof typeof columns

const referring = join(Object.values(columns))

/** SQL for the values of all columns of a row: `id` in the column of a kind. */
const referringTo = (kind: PlaceKind, id: Sql) =>
  join(Object.keys(columns).map((each) => (each === kind ? id : sql`NULL::int`)))

/** SQL for the kind of the place of a row, and for its id, which is that of the account for the brand. */
const kindOf = sql`CASE ${join(
  Object.entries(columns).map(([kind, column]) => sql`WHEN u.${column} IS NOT NULL THEN ${kind}::text`),
  ' ',
)} ELSE 'brand' END`
const placeIdOf = sql`coalesce(${join(Object.values(columns).map((column) => sql`u.${column}`))}, u.account_id)`
const isSamePlace = join(
  Object.values(columns).map((column) => sql`o.${column} IS NOT DISTINCT FROM u.${column}`),
  ' AND ',
)

/** The texts of places: a query that selects `id` of the place and `text`, and the field of the input that they come from. */
interface PlaceTexts {
  readonly ids: readonly number[]
  readonly texts: Sql
  readonly field: string
}

/**
 * Stores which files of the media library the texts of places contain by their URLs. Call it in the transaction that stores the
 * texts, after them. **Throws** VALIDATION_ERROR for `field` if a place uses more than 1,000 files.
 */
export async function record(tx: Ctx, kind: PlaceKind, { ids, texts, field }: PlaceTexts): Promise<void> {
  if (ids.length === 0) return
  await tx.sql`
    DELETE FROM media_use u WHERE u.account_id = ${tx.sql.account}
      AND ${kind === 'brand' ? sql`num_nonnulls(${referring}) = 0` : sql`u.${columns[kind]} = ANY(${ids}::int[])`}`
  const path = await pathOf(tx)
  // Texts are read before they are searched: a search that the planner moves down would read documents that are no text. The lock
  // waits for a deletion, after which the file is not found.
  const [most] = await tx.sql<{ files: number }>`
    WITH given (id, text) AS MATERIALIZED (${texts}), place AS MATERIALIZED (
      SELECT DISTINCT t.id, f.media_id FROM given t, LATERAL regexp_matches(t.text, ${`${path}([0-9a-f]{64})`}, 'g') AS found (parts)
      JOIN media_file f ON f.account_id = ${tx.sql.account} AND f.hash = found.parts[1]
      WHERE strpos(t.text, ${path}) > 0
    ), file AS MATERIALIZED (
      SELECT m.id FROM media m WHERE m.account_id = ${tx.sql.account} AND m.id IN (SELECT media_id FROM place)
      ORDER BY m.id FOR KEY SHARE
    ), inserted AS (
      INSERT INTO media_use (account_id, media_id, ${referring})
      SELECT ${tx.sql.account}::int, file.id, ${referringTo(kind, sql`place.id`)} FROM place
      JOIN file ON file.id = place.media_id
      RETURNING ${referring}
    )
    SELECT count(*)::int AS files FROM inserted GROUP BY ${referring} ORDER BY files DESC LIMIT 1`
  if (most && most.files > maxFiles) throw invalid({ [field]: [`must use at most ${maxFiles} media files`] })
}

/** Stores that copies of places use the same files as their originals. */
export async function copy(
  tx: Ctx,
  kind: ColumnKind,
  copies: readonly { readonly source: number; readonly copy: number }[],
): Promise<void> {
  if (copies.length === 0) return
  const [sources, ids] = [copies.map(({ source }) => source), copies.map((each) => each.copy)]
  await tx.sql`
    INSERT INTO media_use (account_id, media_id, ${referring})
    SELECT u.account_id, u.media_id, ${referringTo(kind, sql`place.id`)}
    FROM ${rowsOf([sources, 'int'], [ids, 'int'])} AS place (source, id)
    JOIN media_use u ON u.account_id = ${tx.sql.account} AND u.${columns[kind]} = place.source`
}

/** A use of a media file by a place. */
interface StoredUse {
  readonly mediaId: number
  readonly kind: PlaceKind
  readonly placeId: number
}

/** Loads the number of places that use media files. */
export const countOf = one<number, number>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; n: number }>`
    SELECT u.media_id AS id, count(*)::int AS n FROM media_use u
    WHERE u.account_id = ${ctx.sql.account} AND u.media_id = ANY(${ids}::int[]) GROUP BY u.media_id`
  return new Map(rows.map(({ id, n }) => [id, n]))
})

/** Loads the first 200 places that use media files, in the order in which they began to. A fixed number of statements. */
export const placesOf = many<number, MediaPlace>(async (ctx, ids) => {
  const uses = await ctx.sql<StoredUse>`
    SELECT u.media_id AS "mediaId", ${kindOf} AS kind, ${placeIdOf} AS "placeId"
    FROM unnest(${ids}::int[]) AS given (id), LATERAL (
      SELECT o.* FROM media_use o WHERE o.account_id = ${ctx.sql.account} AND o.media_id = given.id
      ORDER BY o.id LIMIT ${maxPlaces}::int) u
    ORDER BY u.id`
  const found = new Map<PlaceKind, ReadonlyMap<number, MediaPlace>>()
  for (const [kind, own] of Map.groupBy(uses, (use) => use.kind)) {
    found.set(kind, await ports.mediaPlaces[kind].find(ctx, [...new Set(own.map(({ placeId }) => placeId))]))
  }
  const places = new Map<number, MediaPlace[]>(ids.map((id) => [id, []]))
  for (const use of uses) {
    const place = found.get(use.kind)?.get(use.placeId)
    if (place) places.get(use.mediaId)?.push(place)
  }
  return places
})

const nouns = {
  Campaign: 'campaign',
  SequenceStage: 'stage',
  Form: 'form',
  Funnel: 'funnel',
  FunnelStep: 'step',
  ReusableBlock: 'reusable block',
  EmailTemplate: 'template',
  Brand: 'brand',
} as const

/** **Throws** INVALID_STATE with the places of a media file if it is used. It names those that the key may read. */
export async function mustBeUnused(tx: Ctx, mediaId: number): Promise<void> {
  const total = await tx.load(countOf, mediaId)
  if (!total) return
  const places = await tx.load(placesOf, mediaId)
  const named = places.filter(({ needs }) => may(tx, needs)).slice(0, maxNamed)
  const names = named.map(({ type, title }) => `the ${nouns[type]}${type === 'Brand' ? '' : ` “${title}”`}`)
  const others = total - named.length
  if (others > 0) names.push(`${others}${named.length > 0 ? ' more' : ''} ${others === 1 ? 'place' : 'places'}`)
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  throw refuseValue('id', 'INVALID_STATE', `The media file is used by ${list}.`)
}

/**
 * Replaces a media file in all texts that contain its URLs: a variant by the variant of the same width, or the file itself. The
 * names in the URLs stay, because they are not compared.
 *
 * **Throws** FORBIDDEN if the key may not change a place, and INVALID_STATE if there are more than 200 places, or more than 50 MB
 * of text.
 */
export async function replaceAll(tx: Ctx, mediaId: number, replacementId: number): Promise<void> {
  const uses = await tx.sql<StoredUse>`
    SELECT u.media_id AS "mediaId", ${kindOf} AS kind, ${placeIdOf} AS "placeId" FROM media_use u
    WHERE u.account_id = ${tx.sql.account} AND u.media_id = ${mediaId} ORDER BY u.id LIMIT ${maxPlaces + 1}::int`
  if (uses.length === 0) return
  if (uses.length > maxPlaces) {
    throw refuseValue('id', 'INVALID_STATE', `The media file is used in more than ${maxPlaces} places.`)
  }
  const path = await pathOf(tx)
  const files = await tx.sql<{ before: string; after: string }>`
    SELECT f.hash AS before, (
      SELECT o.hash FROM media_file o WHERE o.account_id = f.account_id AND o.media_id = ${replacementId}
      ORDER BY (o.width = f.width AND f.hash <> m.hash) DESC NULLS LAST, o.hash = n.hash DESC LIMIT 1) AS after
    FROM media_file f
    JOIN media m ON m.account_id = f.account_id AND m.id = f.media_id
    JOIN media n ON n.account_id = f.account_id AND n.id = ${replacementId}
    WHERE f.account_id = ${tx.sql.account} AND f.media_id = ${mediaId}`
  const parts = new Map(files.map(({ before, after }) => [`${path}${before}`, `${path}${after}`]))
  for (const [kind, own] of Map.groupBy(uses, (use) => use.kind)) {
    await ports.mediaPlaces[kind].replace(
      tx,
      own.map(({ placeId }) => placeId),
      parts,
    )
  }
  // A place that uses both files has one row afterwards.
  await tx.sql`
    DELETE FROM media_use u WHERE u.account_id = ${tx.sql.account} AND u.media_id = ${mediaId} AND EXISTS (
      SELECT FROM media_use o WHERE o.account_id = u.account_id AND o.media_id = ${replacementId}
        AND ${isSamePlace})`
  await tx.sql`
    UPDATE media_use SET media_id = ${replacementId} WHERE account_id = ${tx.sql.account} AND media_id = ${mediaId}`
}

/** Returns SQL in which parts of a text are replaced. */
export function withReplacements(text: Sql, parts: ReadonlyMap<string, string>): Sql {
  return [...parts].reduce((inner, [before, after]) => sql`replace(${inner}, ${before}, ${after})`, text)
}

/** **Throws** INVALID_STATE if the texts of the places of a media file are too large to be replaced. */
export function mustBeReplaceable(bytes: number): void {
  if (bytes <= maxReplacedBytes) return
  const limit = `${maxReplacedBytes / 1_000_000} MB`
  throw refuseValue('id', 'INVALID_STATE', `The texts that use the media file have more than ${limit}.`)
}
