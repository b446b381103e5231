import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit } from '../../src/events/index.ts'
import type { World } from '../support/world.ts'

/** The order in which a subscriber receives the contact IDs of events. */
export const Contacts = `subscription ($after: String) {
  events(after: $after, types: [CONTACT_CREATED, CONTACT_UPDATED]) { cursor type ... on ContactEvent { contactDatabaseId } } }`

/** Result of the writers: the contacts of committed events, and of events that were rolled back. */
export interface WriteResult {
  committed: number[]
  undone: number[]
}

/** IDs that no existing contact has. */
let nextId = 1_000_000

const takenBack = new Error('taken back')

/**
 * Sixteen concurrent writers emit two events per contact for some time: created, then updated, in separate
 * transactions. Some transactions stay open for a while, and one in twenty is rolled back. WRITING_SECONDS sets the
 * duration for long runs.
 */
export async function writeFor(world: World, milliseconds: number): Promise<WriteResult> {
  const until = performance.now() + Number(process.env['WRITING_SECONDS'] ?? milliseconds / 1_000) * 1_000
  return writeWhile(world, () => performance.now() < until)
}

/** Writes as `writeFor` does until the condition is false. */
export async function writeWhile(world: World, isWriting: () => boolean): Promise<WriteResult> {
  const written: WriteResult = { committed: [], undone: [] }
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  const write = async () => {
    while (isWriting()) {
      const contactId = nextId++
      const isUndone = Math.random() < 0.05
      const hold = Math.random() < 0.05 ? 0.3 : Math.random() * 0.02
      const announce = (type: 'contact.created' | 'contact.updated') =>
        inTransaction(ctx, async (tx) => {
          await emit(tx, type, { contactId })
          await tx.sql`SELECT pg_sleep(${hold})::text, ${tx.sql.account}::int`
          if (isUndone) throw takenBack
        })
      try {
        await announce('contact.created')
        await announce('contact.updated')
        written.committed.push(contactId)
      } catch (error) {
        if (error !== takenBack) throw error
        written.undone.push(contactId)
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, write))
  return written
}

/** Returns the errors in the delivered events; empty if there are none. */
export function faultsOf({ committed, undone }: WriteResult, delivered: { type: string; contactDatabaseId: number }[]) {
  const seen = delivered.map(({ type, contactDatabaseId }) => `${contactDatabaseId} ${type}`)
  const wanted = committed.flatMap((id) => [`${id} CONTACT_CREATED`, `${id} CONTACT_UPDATED`])
  const all = new Set(seen)
  const gone = new Set(undone)
  return {
    missing: wanted.filter((one) => !all.has(one)),
    repeated: seen.length - all.size,
    neverCommitted: delivered.filter(({ contactDatabaseId }) => gone.has(contactDatabaseId)),
    outOfOrder: committed.filter((id) => seen.indexOf(`${id} CONTACT_UPDATED`) < seen.indexOf(`${id} CONTACT_CREATED`)),
  }
}

export const noFaults = { missing: [], repeated: 0, neverCommitted: [], outOfOrder: [] }
