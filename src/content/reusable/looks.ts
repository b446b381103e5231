import type { Ctx } from '../../db/context.ts'
import { readGlobalId, smallId } from '../../kernel/values/ids.ts'
import type { MessageBlock } from '../blocks/message-content.ts'
import type { ReusableBlocks } from '../blocks/references.ts'
import * as brands from '../brand/brand.ts'
import type { BrandStyle } from '../brand/brand-style.ts'
import { reusableBlockTable } from './reusable-block-list.ts'

/** Maximum size of the reusable blocks that are read together, in bytes. A message with more of them cannot be valid. */
const maxReadBytes = 4_000_000

/** What a message shows of the account besides its own content. */
export interface Look {
  readonly brand: BrandStyle
  readonly reusable: ReusableBlocks
  /** Whether the blocks are too large together, so that `reusable` has none. */
  readonly isTooLarge: boolean
  /** Reusable blocks that exist. */
  readonly reusableBlockIds: readonly number[]
  /** Differs after each change of the brand or of one of the blocks. */
  readonly version: string
}

/** Returns what a message shows now that refers to these reusable blocks, by the IDs in its document. */
export async function lookOf(ctx: Ctx, references: readonly string[]): Promise<Look> {
  const brand = await brands.lookOf(ctx)
  const ids = new Map(references.map((reference) => [reference, idOfReference(reference)]))
  const rows = await readBlocks(ctx, [...ids.values()])
  const found = new Map(rows.map((row) => [row.id, row]))
  const reusable = Object.fromEntries(
    [...ids].flatMap(([reference, id]) => {
      const row = found.get(id)
      return row?.content ? [[reference, row.content]] : []
    }),
  )
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  const reusableBlockIds = [...found.keys()]
  return {
    brand: brand.style,
    reusable,
    isTooLarge: rows.some(({ content }) => content === null),
    reusableBlockIds,
    version: versionOf(brand.version, versions, [...ids.values()]),
  }
}

/**
 * Keeps what messages show that refer to these reusable blocks until the transaction ends, and returns a function that returns
 * the version for some of the blocks.
 */
export async function shareLook(tx: Ctx, ids: readonly number[]): Promise<(ids: readonly number[]) => string> {
  const { version } = await brands.shareLook(tx)
  const rows =
    ids.length === 0
      ? []
      : await tx.sql<{ id: number; version: string }>`
          SELECT b.id, b.xmin::text AS version ${reusableBlockTable.from(tx)} AND b.id = ANY(${ids}::int[])
          ORDER BY b.id FOR SHARE`
  const versions = new Map(rows.map((row) => [row.id, row.version]))
  return (some) => versionOf(version, versions, some)
}

/** Returns the integer of an ID in a document: 0, which no block has, for any other text. */
export function idOfReference(reference: string): number {
  const read = readGlobalId(reference)
  return read?.type === 'ReusableBlock' ? smallId(read.id) : 0
}

function versionOf(brand: string, versions: ReadonlyMap<number, string>, ids: readonly number[]): string {
  const blocks = [...new Set(ids)].sort((a, b) => a - b).map((id) => `${id}:${versions.get(id) ?? ''}`)
  return [brand, ...blocks].join(' ')
}

async function readBlocks(ctx: Ctx, ids: readonly number[]) {
  if (ids.length === 0) return []
  return ctx.sql<{ id: number; version: string; content: readonly MessageBlock[] | null }>`
    SELECT s.id, s.version, CASE WHEN s.total <= ${maxReadBytes}::int THEN s.content END AS content FROM (
      SELECT b.id, b.xmin::text AS version, b.content, sum(octet_length(b.content::text)) OVER () AS total
      ${reusableBlockTable.from(ctx)} AND b.id = ANY(${ids}::int[])) s`
}
