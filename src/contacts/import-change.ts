import type { Ctx } from '../db/context.ts'
import { emitAll } from '../events/index.ts'
import { type ConsentSource, consentChanges, recordAll } from './consents.ts'
import type { Details } from './contact-details.ts'
import { updateRows } from './contact-rows.ts'
import { contactIdOf, type RowGroup } from './import-row-groups.ts'
import { ports } from './ports.ts'

/**
 * Updates the fields of existing contacts that differ from their rows. Contacts whose consent to e-mail marketing is
 * withdrawn leave all sequences. Returns the groups whose contact changed.
 *
 * **Emits** the events of `contacts.update`.
 */
export async function updateDetails(
  tx: Ctx,
  groups: readonly RowGroup[],
  consent: ConsentSource,
): Promise<Set<RowGroup>> {
  const changes = groups.flatMap((group) => {
    const changed = Object.fromEntries(
      Object.entries(group.details).filter(
        ([key, value]) => value !== undefined && value !== group.before?.[key as keyof Details],
      ),
    ) as Details
    return Object.keys(changed).length > 0 ? [{ group, contactId: contactIdOf(group), changed }] : []
  })
  await updateRows(
    tx,
    changes.map(({ contactId, changed }) => ({ id: contactId, ...changed })),
  )
  await recordAll(
    tx,
    changes.flatMap(({ contactId, changed }) => consentChanges(contactId, changed)),
    consent,
  )
  const withdrawn = changes.filter(({ changed }) => changed.emailMarketing === false)
  const consented = changes.filter(({ changed }) => changed.emailMarketing === true)
  if (withdrawn.length > 0) await ports.leaveAll(tx, withdrawn.map(toContactId))
  await emitAll(tx, 'contact.updated', changes.map(toEventData))
  await emitAll(tx, 'contact.unsubscribed', withdrawn.map(toEventData))
  await emitAll(tx, 'contact.resubscribed', consented.map(toEventData))
  return new Set(changes.map(({ group }) => group))
}

const toContactId = ({ contactId }: { contactId: number }) => contactId
const toEventData = ({ contactId }: { contactId: number }) => ({ contactId })
