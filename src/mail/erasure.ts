import type { Ctx } from '../db/context.ts'
import type { ErasedPerson, ErasureStep } from '../db/erasure.ts'
import { eraseSuppressions } from './bounces/suppression.ts'

/** Replaces the suppressions of a person by hashes. Addresses of a person who opted out are suppressed in the same way. */
export async function erase(tx: Ctx, { texts }: ErasedPerson, isOptedOut: boolean): Promise<void> {
  await eraseSuppressions(tx, addressesIn(texts), isOptedOut)
}

const messageFiles: ErasureStep = {
  name: 'message files',
  tables: [],
  run: async (tx, { texts }) => {
    await tx.forgetMessages(tx.accountId, addressesIn(texts))
    return null
  },
}

/** What is removed from mail after the deletion of the contact. */
export const erasureSteps: readonly ErasureStep[] = [messageFiles]

function addressesIn(texts: readonly string[]): string[] {
  return texts.filter((text) => text.includes('@'))
}
