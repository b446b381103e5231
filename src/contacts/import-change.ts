import type { Ctx } from '../db/context.ts'
import { emitAll } from '../events/index.ts'
import { type ConsentSource, consentsOf, recordAll } from './consents.ts'
import { idOf, type Person } from './import-people.ts'
import type { Details } from './import-row.ts'
import { ports } from './ports.ts'

/**
 * Changes contacts that were there before: only what their rows say, and only what differs. Those whose marketing consent
 * is withdrawn by this leave all sequences, as by `contacts.update`. Announces what `contacts.update` does, and answers who
 * has changed.
 */
export async function change(tx: Ctx, people: readonly Person[], consent: ConsentSource): Promise<Set<Person>> {
  const changes = people.flatMap((person) => {
    const changed = Object.fromEntries(
      Object.entries(person.details).filter(
        ([key, value]) => value !== undefined && value !== person.before?.[key as keyof Details],
      ),
    ) as Details
    return Object.keys(changed).length > 0 ? [{ person, changed }] : []
  })
  await write(
    tx,
    changes.map(({ person, changed }) => ({ id: idOf(person), ...changed })),
  )
  await recordAll(
    tx,
    changes.flatMap(({ person, changed }) => consentsOf(idOf(person), changed)),
    consent,
  )
  const leaving = changes.filter(({ changed }) => changed.emailMarketing === false).map(({ person }) => idOf(person))
  if (leaving.length > 0) await ports.leaveAll(tx, leaving)
  const announce = async (
    type: 'contact.updated' | 'contact.unsubscribed' | 'contact.resubscribed',
    all: typeof changes,
  ) =>
    emitAll(
      tx,
      type,
      all.map(({ person }) => ({ contactId: idOf(person) })),
    )
  await announce('contact.updated', changes)
  await announce(
    'contact.unsubscribed',
    changes.filter(({ changed }) => changed.emailMarketing === false),
  )
  await announce(
    'contact.resubscribed',
    changes.filter(({ changed }) => changed.emailMarketing === true),
  )
  return new Set(changes.map(({ person }) => person))
}

async function write(tx: Ctx, changes: readonly ({ id: number } & Details)[]): Promise<void> {
  if (changes.length === 0) return
  await tx.sql`
    UPDATE contact c SET first_name = coalesce(g."firstName", c.first_name), last_name = coalesce(g."lastName", c.last_name),
      phone = coalesce(g.phone, c.phone), company_name = coalesce(g."companyName", c.company_name),
      city = coalesce(g.city, c.city), country = coalesce(g.country, c.country),
      email_marketing = coalesce(g."emailMarketing", c.email_marketing), gdpr = coalesce(g.gdpr, c.gdpr),
      updated_at = ${tx.clock.now()}::timestamptz
    FROM json_to_recordset(${JSON.stringify(changes)}::json) AS g(id int, "firstName" text, "lastName" text, phone text,
      "companyName" text, city text, country text, "emailMarketing" boolean, gdpr boolean)
    WHERE c.account_id = ${tx.sql.account} AND c.id = g.id`
}
