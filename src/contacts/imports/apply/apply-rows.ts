import { quotas, use } from '../../../account/index.ts'
import type { Ctx } from '../../../db/context.ts'
import { sql } from '../../../db/sql.ts'
import { type ConsentSource, consentChanges, recordAll, withdrawnAmong } from '../../consents/consents.ts'
import { recordRefusals, updateDetails } from '../../people/batch-changes.ts'
import { insertRows } from '../../people/contact-rows.ts'
import { ports } from '../../ports.ts'
import { announceCreated } from '../../record/change-log.ts'
import type { Details } from '../../record/contact-details.ts'
import type { ConsentKey } from '../../record/fields.ts'
import { maxTagsPerContact } from '../../tags/contact-tags.ts'
import { type CellProblem, type RowError, rowError } from '../rows/row-errors.ts'
import type { ParsedRow } from '../rows/row-parser.ts'
import { addTags, findAboveTagLimit, setValues } from './links.ts'
import { contactIdOf, groupErrors, groupRows, loadExisting, type RowGroup, refusalsOf } from './row-groups.ts'

/** Options that apply to all rows of a file. Stored as JSON in `contact_import.options`. */
export interface ImportRules {
  readonly updateExisting: boolean
  /** Consents of new contacts whose row does not contain them. */
  readonly agreed: Readonly<Pick<Details, ConsentKey>>
  readonly consent: ConsentSource
  readonly tagIds: readonly number[]
  readonly sequenceIds: readonly number[]
}

/** Result of applying rows: the number of rows by outcome, and the errors of rows that were not applied. */
export interface ApplyResult {
  created: number
  updated: number
  unchanged: number
  readonly errors: readonly RowError[]
}

/**
 * Applies rows of a file with a constant number of statements: creates and updates contacts, and adds tags, custom field
 * values, consents and enrolments. A contact that would exceed the quota or the maximum number of tags is not changed; its
 * rows are returned as errors. Refusals and suppressions apply also to contacts that are not updated.
 *
 * **Emits** the same events as `contacts.create` and `contacts.update`, and `suppression.created`. **Throws** QUOTA_EXCEEDED if
 * a concurrent transaction used the rest of the quota. The caller must then retry.
 */
export async function applyRows(tx: Ctx, rows: readonly ParsedRow[], rules: ImportRules): Promise<ApplyResult> {
  const { accepted, errors } = await selectApplicable(tx, await groupRows(tx, rows), rules)
  const created = await createContacts(tx, accepted.filter(isNew), rules)
  const applied = rules.updateExisting ? accepted : accepted.filter((group) => created.has(group))
  const existing = accepted.filter((group) => !created.has(group))
  const { updated, warnings } = await updateContacts(tx, existing, rules)
  const changed = new Set([
    ...existing.filter((group) => updated.has(contactIdOf(group))),
    ...(await addTags(tx, applied, rules.tagIds)),
    ...(await setValues(tx, applied)),
  ])
  await suppressAddresses(tx, accepted)
  await ports.enrolAll(tx, applied.filter(canReceive).map(contactIdOf), rules.sequenceIds)
  await use(tx, 'contacts', created.size)

  const result = { created: created.size, updated: 0, unchanged: 0, errors: [...errors, ...warnings] }
  for (const group of accepted) {
    // The first row of a new contact creates it; the other rows of its group update it.
    const isCreated = created.has(group)
    const isUpdated = isCreated ? rules.updateExisting : changed.has(group)
    result[isUpdated ? 'updated' : 'unchanged'] += group.rows.length - (isCreated ? 1 : 0)
  }
  return result
}

const canReceive = ({ details, suppressed }: RowGroup) => details.emailMarketing !== false && !suppressed

const staysWithdrawn: CellProblem = {
  code: 'CONSENT_WITHDRAWN',
  message: 'contains a consent to marketing e-mail that the contact withdrew here: it stays withdrawn',
}

/**
 * Updates existing contacts, or only withdraws what their rows refuse. A consent that a contact withdrew is not given again: the
 * file may be older. Returns the ids of the contacts that changed, and a warning for each row whose consent was left out.
 */
async function updateContacts(
  tx: Ctx,
  groups: readonly RowGroup[],
  { updateExisting, consent }: ImportRules,
): Promise<{ updated: ReadonlySet<number>; warnings: RowError[] }> {
  const isGiven = ({ before, details }: RowGroup) =>
    updateExisting && details.emailMarketing === true && before?.emailMarketing === false
  const given = groups.filter(isGiven).map(contactIdOf)
  const withdrawn: ReadonlySet<number> = given.length > 0 ? await withdrawnAmong(tx, given) : new Set()
  const changes = groups.flatMap((group) => {
    if (!group.before) return []
    const details: Details = updateExisting ? { ...group.details } : refusalsOf(group)
    if (withdrawn.has(group.before.id)) delete details.emailMarketing
    return [{ before: group.before, details }]
  })
  const refusing = changes.filter(({ details }) => details.emailMarketing === false)
  const others = changes.filter(({ details }) => details.emailMarketing !== false)
  const refusal = withoutText(consent)
  const recorded = await recordRefusals(
    tx,
    refusing.map(({ before }) => before),
    refusal,
  )
  const updated = await updateDetails(tx, others, consent)
  const refused = await updateDetails(tx, refusing, refusal)
  const warnings = groups
    .filter((group) => withdrawn.has(contactIdOf(group)))
    .flatMap(({ rows }) => rows.filter(({ details }) => details.emailMarketing === true))
    .map(({ line }) => rowError(line, '', staysWithdrawn, ''))
  return { updated: new Set([...updated, ...refused, ...recorded]), warnings }
}

/** Returns the source of a refusal: the text of the options is what contacts agreed to. */
const withoutText = (consent: ConsentSource): ConsentSource => ({ ...consent, text: '', documentVersion: '' })

/** Suppresses the addresses of which the file says that they bounced, or that their owner complained. */
async function suppressAddresses(tx: Ctx, groups: readonly RowGroup[]): Promise<void> {
  const addresses = groups.flatMap(({ email, suppressed }) =>
    suppressed ? [{ email, reason: suppressed, detail: suppressionDetails[suppressed] }] : [],
  )
  if (addresses.length > 0) await ports.suppressAll(tx, addresses)
}

const suppressionDetails = {
  BOUNCE: 'An imported file says that the address does not accept e-mail.',
  COMPLAINT: 'An imported file says that the recipient complained.',
} as const

const isNew = ({ before }: RowGroup) => !before

/** Returns the groups within the quota and the maximum number of tags, and the errors of all other rows. */
async function selectApplicable(
  tx: Ctx,
  groups: readonly RowGroup[],
  { updateExisting, tagIds }: ImportRules,
): Promise<{ accepted: RowGroup[]; errors: RowError[] }> {
  const { withinQuota, errors } = await selectWithinQuota(tx, groups)
  const aboveTagLimit = await findAboveTagLimit(tx, updateExisting ? withinQuota : withinQuota.filter(isNew), tagIds)
  const problem = {
    code: 'TOO_MANY_TAGS',
    message: `would exceed the maximum of ${maxTagsPerContact} tags per contact`,
  } as const
  return {
    accepted: withinQuota.filter((group) => !aboveTagLimit.has(group)),
    errors: [...errors, ...[...aboveTagLimit].flatMap((group) => groupErrors(group, problem))],
  }
}

/** Returns the groups of existing contacts, and as many new ones as the quota allows, in the order of the file. */
async function selectWithinQuota(
  tx: Ctx,
  groups: readonly RowGroup[],
): Promise<{ withinQuota: RowGroup[]; errors: RowError[] }> {
  const { remaining, limit } = await quotas.quotaOf(tx, 'contacts')
  let left = remaining ?? Number.POSITIVE_INFINITY
  const errors: RowError[] = []
  const withinQuota = groups.filter((group) => {
    if (group.before) return true
    left -= 1
    const message = `would exceed the quota of ${limit} contacts`
    if (left < 0) errors.push(...groupErrors(group, { code: 'QUOTA_EXCEEDED', message }))
    return left >= 0
  })
  return { withinQuota, errors }
}

/** Inserts contacts. A contact that a concurrent transaction inserted is loaded and locked instead. */
async function createContacts(tx: Ctx, groups: readonly RowGroup[], rules: ImportRules): Promise<Set<RowGroup>> {
  const created = new Set<RowGroup>()
  for (let missing = groups; missing.length > 0; ) {
    for (const group of await insertContacts(tx, missing, rules)) created.add(group)
    missing = missing.filter(({ id }) => id === undefined)
    await loadExisting(tx, missing)
    missing = missing.filter(isNew)
  }
  const contactIds = [...created].map(contactIdOf)
  await recordAll(
    tx,
    [...created].flatMap((group) => {
      const consents = withConsents(group, rules)
      return consentChanges(contactIdOf(group), {
        emailMarketing: consents.emailMarketing || undefined,
        gdpr: consents.gdpr || undefined,
      })
    }),
    rules.consent,
  )
  const refused = [...created].filter(({ details }) => details.emailMarketing === false)
  await recordAll(
    tx,
    refused.map((group) => ({ contactId: contactIdOf(group), kind: 'EMAIL_MARKETING', granted: false })),
    withoutText(rules.consent),
  )
  if (created.size > 0) await ports.linkByAddress(tx, contactIds)
  await announceCreated(tx, contactIds)
  return created
}

/**
 * Returns the fields of a new contact. The consents of the options do not apply if the file says that one is pending, or
 * something that cannot be read.
 */
function withConsents({ details, withheld }: RowGroup, { agreed }: ImportRules): Details {
  const refused = Object.fromEntries(withheld.map((key) => [key, false]))
  return { ...agreed, ...refused, ...details }
}

/** Inserts the contacts whose address does not exist. Sets their ids and returns their groups. */
async function insertContacts(tx: Ctx, groups: readonly RowGroup[], rules: ImportRules): Promise<RowGroup[]> {
  const contacts = groups.map((group) => ({ email: group.email, ...withConsents(group, rules) }))
  const inserted = await insertRows<{ id: number; key: string }>(tx, contacts, sql`c.id, address_key(c.email) AS key`)
  const ids = new Map(inserted.map(({ id, key }) => [key, id]))
  return groups.filter((group) => {
    const id = ids.get(group.key)
    if (id !== undefined) group.id = id
    return id !== undefined
  })
}
