import { quotas, use } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { emitAll } from '../events/index.ts'
import { type ConsentSource, consentsOf, recordAll } from './consents.ts'
import { mostTags } from './contact-tags.ts'
import { change } from './import-change.ts'
import { giveTags, setValues, withTooManyTags } from './import-links.ts'
import { faultsOf, findKnown, idOf, type Person, peopleOf } from './import-people.ts'
import type { Details, LineFault, ReadRow } from './import-row.ts'
import { ports } from './ports.ts'

/** What holds for all rows of a file. */
export interface ImportRules {
  readonly updateExisting: boolean
  /** What new contacts have agreed to where their row does not say. */
  readonly agreed: Readonly<Pick<Details, 'emailMarketing' | 'gdpr'>>
  readonly consent: ConsentSource
  readonly tagIds: readonly number[]
  readonly sequenceIds: readonly number[]
}

/** What became of rows. */
export interface Applied {
  created: number
  updated: number
  unchanged: number
  readonly faults: readonly LineFault[]
}

/**
 * Applies rows of a file, with as many statements however many they are: contacts are added or changed, tags and values
 * given, consents recorded, and each change announced as if it had been made by itself. What cannot be applied (a contact
 * over the quota, or with too many tags) is told, and nothing of its rows is done.
 *
 * Fails with QUOTA_EXCEEDED where others took what was left of the quota in the same moment: it is to be tried again.
 */
export async function apply(tx: Ctx, rows: readonly ReadRow[], rules: ImportRules): Promise<Applied> {
  const all = await peopleOf(tx, rows)
  const { fitting, faults } = await withinQuota(tx, all)
  const full = await withTooManyTags(tx, rules.updateExisting ? fitting : fitting.filter(isNew), rules.tagIds)
  faults.push(...[...full].flatMap((person) => faultsOf(person, `would have more than ${mostTags} tags`)))
  const taken = fitting.filter((person) => !full.has(person))

  const added = await add(tx, taken.filter(isNew), rules)
  const touched = rules.updateExisting ? taken : taken.filter((person) => added.has(person))
  const changed = await change(
    tx,
    touched.filter((person) => !added.has(person)),
    rules.consent,
  )
  for (const person of await giveTags(tx, touched, rules.tagIds)) changed.add(person)
  for (const person of await setValues(tx, touched)) changed.add(person)
  await ports.enrolAll(tx, touched.map(idOf), rules.sequenceIds)
  await use(tx, 'contacts', added.size)

  const applied = { created: added.size, updated: 0, unchanged: 0, faults }
  for (const person of taken) {
    // Whose first row has made a contact, to whom the others are changes.
    const isAdded = added.has(person)
    const isUpdated = isAdded ? rules.updateExisting : changed.has(person)
    applied[isUpdated ? 'updated' : 'unchanged'] += person.rows.length - (isAdded ? 1 : 0)
  }
  return applied
}

const isNew = ({ before }: Person) => !before

/** Those who are contacts already, and as many of the others as the quota has room for, in the order of the file. */
async function withinQuota(tx: Ctx, all: readonly Person[]): Promise<{ fitting: Person[]; faults: LineFault[] }> {
  const { remaining, limit } = await quotas.quotaOf(tx, 'contacts')
  let left = remaining ?? Number.POSITIVE_INFINITY
  const faults: LineFault[] = []
  const fitting = all.filter((person) => {
    if (person.before) return true
    left -= 1
    if (left < 0)
      faults.push(...faultsOf(person, `The plan allows ${limit} contacts; the quota "contacts" is used up.`))
    return left >= 0
  })
  return { fitting, faults }
}

/** Adds contacts. Who was added by someone else in this very moment is found and locked instead. */
async function add(tx: Ctx, people: readonly Person[], { agreed, consent }: ImportRules): Promise<Set<Person>> {
  const added = new Set<Person>()
  const now = tx.clock.now()
  for (let missing = people; missing.length > 0; ) {
    const given = missing.map(({ email, details }, place) => ({ place, email, ...agreed, ...details }))
    const made = await tx.sql<{ id: number; key: string }>`
      INSERT INTO contact AS c (account_id, email, first_name, last_name, phone, company_name, city, country,
        email_marketing, gdpr, created_at, updated_at)
      SELECT ${tx.sql.account}::int, g.email, coalesce(g."firstName", ''), coalesce(g."lastName", ''), coalesce(g.phone, ''),
        coalesce(g."companyName", ''), coalesce(g.city, ''), coalesce(g.country, ''), coalesce(g."emailMarketing", false),
        coalesce(g.gdpr, false), ${now}::timestamptz, ${now}::timestamptz
      FROM json_to_recordset(${JSON.stringify(given)}::json) AS g(place int, email text, "firstName" text, "lastName" text,
        phone text, "companyName" text, city text, country text, "emailMarketing" boolean, gdpr boolean)
      ORDER BY g.place
      ON CONFLICT (account_id, lower(email)) DO NOTHING RETURNING c.id, lower(c.email) AS key`
    const ids = new Map(made.map(({ id, key }) => [key, id]))
    for (const person of missing) {
      const id = ids.get(person.key)
      if (id === undefined) continue
      person.id = id
      added.add(person)
    }
    missing = missing.filter(({ id }) => id === undefined)
    await findKnown(tx, missing)
    missing = missing.filter(({ before }) => !before)
  }
  await recordAll(
    tx,
    [...added].flatMap((person) => {
      const said = { ...agreed, ...person.details }
      return consentsOf(idOf(person), {
        emailMarketing: said.emailMarketing || undefined,
        gdpr: said.gdpr || undefined,
      })
    }),
    consent,
  )
  if (added.size > 0) await ports.linkByAddress(tx, [...added].map(idOf))
  await emitAll(
    tx,
    'contact.created',
    [...added].map((person) => ({ contactId: idOf(person) })),
  )
  return added
}
