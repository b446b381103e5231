import { z } from 'zod'
import { lockKind } from '../../db/account-lock.ts'
import { type Ctx, many } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, emitAll } from '../../events/index.ts'
import { nameOfCopy } from '../../kernel/copies.ts'
import { refuse, refuseValue } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { contentError, faultAt, readContent, validated } from '../blocks/json-input.ts'
import { type MessageBlock, ReusableContent } from '../blocks/message-content.ts'
import { ownHtmlFault } from '../blocks/own-html-limits.ts'
import { newContentPlaces } from '../media/content-places.ts'
import { type BlockPlace, ports } from '../ports.ts'
import { readCondition } from './condition-filter.ts'
import { contentById, count, lock, type ReusableBlock } from './reusable-block-list.ts'

/** Maximum reusable blocks of an account. */
export const maxReusableBlocks = 500

/** Maximum size of a reusable block in bytes of JSON. */
export const maxReusableBytes = 64 * 1024

const NewBlock = z.object({ name: name(255) })
const BlockChange = NewBlock.partial()

export const { places: mediaPlaces, recordUses } = newContentPlaces({
  kind: 'reusableBlock',
  type: 'ReusableBlock',
  table: sql`reusable_block`,
  announce: (tx, ids) =>
    emitAll(
      tx,
      'reusable_block.updated',
      ids.map((reusableBlockId) => ({ reusableBlockId })),
    ),
})

type Id = string | number
interface BlockPayload {
  readonly reusableBlock: ReusableBlock
}

/**
 * Creates a reusable block: a name for a list of blocks that messages refer to.
 *
 * **Emits** `reusable_block.created`. **Throws** VALIDATION_ERROR, also with the path of each invalid value under `content`, and
 * QUOTA_EXCEEDED if the account has 500 reusable blocks.
 */
export async function create(ctx: Ctx, input: { name: string; content?: unknown }): Promise<BlockPayload> {
  const fields = check(NewBlock, { name: input.name })
  const content = await readBlocks(ctx, input.content)
  return inTransaction(ctx, (tx) => insert(tx, fields.name, content))
}

/**
 * Updates a reusable block; absent fields stay. Messages that refer to it and whose sending has not begun are compiled again.
 *
 * **Emits** `reusable_block.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: Id; name?: string | null | undefined; content?: unknown },
): Promise<BlockPayload> {
  const fields = sent(check(BlockChange, sent({ name: input.name })))
  const content = input.content == null ? undefined : await readBlocks(ctx, input.content)
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    const data = { ...fields, ...(content && { content: stored(content) }), updatedAt: tx.clock.now() }
    const reusableBlock = await tx.db.reusableBlock.update({ where: keyOf(tx, id), data, omit: { content: true } })
    await emit(tx, 'reusable_block.updated', { reusableBlockId: id })
    if (content) {
      await recordUses(tx, id)
      await ports.remakeMessages(tx, id)
    }
    return { reusableBlock }
  })
}

/**
 * Creates a copy of a reusable block. The name defaults to `Copy of …`. **Emits** `reusable_block.created`. **Throws** NOT_FOUND,
 * VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function duplicate(ctx: Ctx, input: { id: Id; name?: string | null | undefined }): Promise<BlockPayload> {
  const fields = check(BlockChange, sent({ name: input.name }))
  return inTransaction(ctx, async (tx) => {
    const source = await lock(tx, input.id, 'id', 'FOR SHARE')
    const blocks = (await tx.load(contentById, source.id))?.blocks ?? []
    return insert(tx, fields.name ?? nameOfCopy(source.name), blocks)
  })
}

/**
 * Deletes a reusable block. Messages that were sent stay as they are.
 *
 * **Emits** `reusable_block.deleted`. **Throws** NOT_FOUND, and INVALID_STATE if a message refers to it whose sending has not
 * begun.
 */
export async function remove(ctx: Ctx, input: { id: Id }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    const places = await tx.load(placesOf, id)
    if (places.length > 0) {
      throw refuseValue('id', 'INVALID_STATE', `The reusable block is used by ${enumerate(places)}.`)
    }
    await tx.db.reusableBlock.delete({ where: keyOf(tx, id) })
    await emit(tx, 'reusable_block.deleted', { reusableBlockId: id })
    return { databaseId: id }
  })
}

/** Loads the places that show reusable blocks, by id. At most 100 of each kind. */
export const placesOf = many<number, BlockPlace>((ctx, ids) => ports.placesOfBlocks(ctx, ids))

/** Names places in a sentence: the first five. */
function enumerate(places: readonly BlockPlace[]): string {
  const shown = places.slice(0, 5).map(({ type, name: title }) => `the ${nounOf(type)} “${title}”`)
  return places.length > 5 ? `${shown.join(', ')} and others` : shown.join(', ')
}

function nounOf(type: string): string {
  return { SequenceStage: 'stage', EmailTemplate: 'template' }[type] ?? type.toLowerCase()
}

async function insert(tx: Ctx, title: string, blocks: readonly MessageBlock[]): Promise<BlockPayload> {
  await lockKind(tx, 'reusable blocks')
  if ((await count(tx)) >= maxReusableBlocks) {
    throw refuse('QUOTA_EXCEEDED', `An account can have at most ${maxReusableBlocks} reusable blocks.`)
  }
  const now = tx.clock.now()
  const data = { name: title, content: stored(blocks), accountId: tx.accountId, createdAt: now, updatedAt: now }
  const reusableBlock = await tx.db.reusableBlock.create({ data, omit: { content: true } })
  await recordUses(tx, reusableBlock.id)
  await emit(tx, 'reusable_block.created', { reusableBlockId: reusableBlock.id })
  return { reusableBlock }
}

/** Reads a list of blocks of a client, as an array or as JSON text. */
async function readBlocks(ctx: Ctx, input: unknown): Promise<readonly MessageBlock[]> {
  const { document } = readContent(input, { depth: 26, values: 20_000, bytes: maxReusableBytes })
  if (Buffer.byteLength(JSON.stringify(document) ?? '') > maxReusableBytes) {
    throw contentError([`must have at most ${maxReusableBytes} bytes`])
  }
  const parsed = validated(ReusableContent, document)
  if ('faults' in parsed) throw contentError(parsed.faults)
  const faults = parsed.data.flatMap((block, place) => {
    const fault = block.type === 'html' ? ownHtmlFault(block.html) : undefined
    return fault === undefined ? [] : [faultAt(`${place}.html`, fault)]
  })
  if (faults.length > 0) throw contentError(faults)
  for (const [place, { showTo }] of parsed.data.entries()) {
    if (showTo) await readCondition(ctx, showTo, `${place}.showTo`)
  }
  return parsed.data
}

function stored(blocks: readonly MessageBlock[]) {
  return JSON.parse(JSON.stringify(blocks)) as object
}

function keyOf(tx: Ctx, id: number) {
  return { accountId_id: { accountId: tx.accountId, id } }
}
