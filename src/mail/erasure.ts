import type { Ctx } from '../db/context.ts'
import type { ErasedPerson, ErasureStep } from '../db/persons/erasure.ts'
import { eraseSuppressions } from './suppressions/suppressions.ts'

/** Replaces the suppressions of a person by hashes. Addresses of a person who opted out are suppressed in the same way. */
export async function erase(tx: Ctx, { texts }: ErasedPerson, isOptedOut: boolean): Promise<void> {
  await eraseSuppressions(tx, addressesIn(texts), isOptedOut)
}

const messageFiles: ErasureStep = {
  name: 'message files',
  tables: [],
  run: async (tx, { texts }) => {
    await tx.services.mail.forget(tx.accountId, addressesIn(texts))
    return null
  },
}

/** Of no account, so all that contain an address are deleted: at most 1,000 are kept. */
const returnedMail: ErasureStep = {
  name: 'returned mail',
  tables: ['unread_report'],
  run: async (tx, { texts }) => {
    await tx.db.$queryRaw`DELETE FROM unread_report u USING unnest(${addressesIn(texts)}::text[]) AS t(address)
      WHERE position(convert_to(t.address, 'UTF8') IN u.source) > 0`
    return null
  },
}

/** What is removed from mail after the deletion of the contact. */
export const erasureSteps: readonly ErasureStep[] = [messageFiles, returnedMail]

function addressesIn(texts: readonly string[]): string[] {
  return texts.filter((text) => text.includes('@'))
}
