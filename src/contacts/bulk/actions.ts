import type { Contact } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { OneOf } from '../../kernel/one-of.ts'
import { checkAt, sent } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { ConsentSource } from '../consents/consents.ts'
import { checkValues, writeValues } from '../custom-fields/custom-field-values.ts'
import { optOutAll, removeAll, updateDetails } from '../people/batch-changes.ts'
import type { ContactLinks } from '../people/contacts.ts'
import { ports } from '../ports.ts'
import { ContactDetails, type Details } from '../record/contact-details.ts'
import * as contactTags from '../tags/contact-tags.ts'
import * as tags from '../tags/tags.ts'
import type { BulkJob, BulkJobError } from './bulk-job-list.ts'

type Ids = readonly (string | number)[]
type ConsentInput = NonNullable<ContactLinks['consent']>
type Nullish<Shape> = { [Key in keyof Shape]?: Shape[Key] | null | undefined }

/** New fields of contacts. Fields that are absent or null stay unchanged. */
type ContactUpdate = Nullish<Details> & Pick<ContactLinks, 'customFields' | 'consent'>

/** An action on contacts. */
export type BulkActionInput = OneOf<{
  addTagIds: Ids
  removeTagIds: Ids
  addSequenceIds: Ids
  removeSequenceIds: Ids
  unsubscribe: ConsentInput
  update: ContactUpdate
  delete: boolean
}>

/** Values of an action. Stored as JSON in `bulk_job.options`. */
interface BulkOptions {
  /** Tags or sequences. */
  readonly ids?: readonly number[]
  readonly details?: Details
  readonly values?: readonly { readonly customFieldId: number; readonly value: string | null }[]
  readonly consent?: ConsentSource
}

/** A checked action. */
export type BulkAction = Pick<BulkJob, 'action'> & { readonly options: BulkOptions }

/** A contact that was not processed. */
export type ContactError = Pick<BulkJobError, 'contactId' | 'code' | 'message'>

/** Result of an action on locked contacts. Contacts that are in neither part were as requested already. */
interface Outcome {
  readonly changed: ReadonlySet<number>
  readonly errors?: readonly ContactError[]
}

/** Maximum tags or sequences of an action. */
export const maxActionIds = 100

/**
 * Checks an action. **Throws** VALIDATION_ERROR, NOT_FOUND for an unknown tag, sequence or custom field, and
 * SEQUENCE_HAS_NO_STAGES.
 */
export async function checkAction(tx: Ctx, input: BulkActionInput): Promise<BulkAction> {
  if (input.addTagIds) return { action: 'ADD_TAGS', options: await tagsOf(tx, input.addTagIds, 'addTagIds') }
  if (input.removeTagIds)
    return { action: 'REMOVE_TAGS', options: await tagsOf(tx, input.removeTagIds, 'removeTagIds') }
  if (input.addSequenceIds) {
    const ids = idsOf('Sequence', input.addSequenceIds, 'addSequenceIds')
    await ports.mustBeSequences(tx, ids, { path: 'action.addSequenceIds', isEnrolling: true })
    return { action: 'ADD_SEQUENCES', options: { ids } }
  }
  if (input.removeSequenceIds) {
    const ids = idsOf('Sequence', input.removeSequenceIds, 'removeSequenceIds')
    await ports.mustBeSequences(tx, ids, { path: 'action.removeSequenceIds', isEnrolling: false })
    return { action: 'REMOVE_SEQUENCES', options: { ids } }
  }
  if (input.unsubscribe) {
    return { action: 'UNSUBSCRIBE', options: { consent: checkConsent(input.unsubscribe, 'action.unsubscribe') } }
  }
  if (input.update) return { action: 'UPDATE', options: await checkUpdate(tx, input.update) }
  if (input.delete !== true) throw invalid({ 'action.delete': ['must be true'] })
  return { action: 'DELETE', options: { consent: checkConsent({}, 'action.delete') } }
}

async function tagsOf(tx: Ctx, given: Ids, field: string): Promise<BulkOptions> {
  const ids = idsOf('Tag', given, field)
  await tags.mustAllExist(tx, ids, `action.${field}`)
  return { ids }
}

function idsOf(type: string, given: Ids, field: string): number[] {
  const path = `action.${field}`
  if (given.length === 0 || given.length > maxActionIds) {
    throw invalid({ [path]: [`must contain 1 to ${maxActionIds} ids`] })
  }
  return [...new Set(given.map((id) => idOf(type, id, path)))]
}

function checkConsent(given: ConsentInput, path: string): ConsentSource {
  return checkAt(path, ConsentSource, sent(given))
}

async function checkUpdate(tx: Ctx, { customFields, consent, ...fields }: ContactUpdate): Promise<BulkOptions> {
  const details = checkAt('action.update', ContactDetails, sent(fields))
  const values = await checkValues(tx, customFields ?? [], 'action.update.customFields')
  if (Object.keys(details).length + values.length === 0) {
    throw invalid({ 'action.update': ['must set a field'] }, 'REQUIRED')
  }
  return { details, values, consent: checkConsent(consent ?? {}, 'action.update.consent') }
}

/**
 * Applies an action to contacts whose rows are locked, with a constant number of statements.
 *
 * **Emits** the events of the operation on one contact.
 */
export function apply(tx: Ctx, { action, options }: BulkAction, contacts: readonly Contact[]): Promise<Outcome> {
  const consent = options.consent ?? ConsentSource.parse({})
  return actions[action](tx, contacts, { ids: [], details: {}, values: [], ...options, consent })
}

const actions: Readonly<
  Record<BulkJob['action'], (tx: Ctx, contacts: readonly Contact[], options: Required<BulkOptions>) => Promise<Outcome>>
> = {
  ADD_TAGS: async (tx, contacts, { ids }) => {
    const above = await contactTags.findAboveLimit(tx, contacts.map(toId), ids)
    const accepted = contacts.map(toId).filter((id) => !above.has(id))
    const message = `would exceed the maximum of ${contactTags.maxTagsPerContact} tags per contact`
    return {
      changed: contactsOf(await contactTags.addAll(tx, accepted, ids)),
      errors: errorsOf(above, 'LIMIT_REACHED', message),
    }
  },
  REMOVE_TAGS: async (tx, contacts, { ids }) => ({
    changed: contactsOf(await contactTags.removeAll(tx, contacts.map(toId), ids)),
  }),
  ADD_SEQUENCES: async (tx, contacts, { ids }) => {
    const { enrolled, aboveLimit } = await ports.enrolAll(tx, contacts.map(toId), ids)
    return {
      changed: enrolled,
      errors: errorsOf(aboveLimit, 'LIMIT_REACHED', 'would be in too many sequences at a time'),
    }
  },
  REMOVE_SEQUENCES: async (tx, contacts, { ids }) => ({
    changed: new Set(await ports.leaveAll(tx, contacts.map(toId), ids)),
  }),
  UNSUBSCRIBE: async (tx, contacts, { consent }) => ({ changed: await optOutAll(tx, contacts, consent) }),
  UPDATE: async (tx, contacts, { details, values, consent }) => {
    const changes = contacts.map((before) => ({ before, details }))
    const updated = await updateDetails(tx, changes, consent)
    const written = await writeValues(
      tx,
      contacts.flatMap(({ id }) => values.map((each) => ({ contactId: id, ...each }))),
    )
    return { changed: new Set([...updated, ...contactsOf(written)]) }
  },
  DELETE: async (tx, contacts, { consent }) => {
    const kept = await removeAll(tx, contacts, consent)
    return {
      changed: new Set(contacts.map(toId).filter((id) => !kept.has(id))),
      errors: [...kept].map(([contactId, message]) => ({ contactId, code: 'CONTACT_KEPT', message })),
    }
  },
}

const toId = ({ id }: Contact) => id

function contactsOf(rows: readonly { readonly contactId: number }[]): Set<number> {
  return new Set(rows.map(({ contactId }) => contactId))
}

/** Returns the same error for each contact. */
export function errorsOf(
  contactIds: Iterable<number>,
  code: ContactError['code'],
  message: string,
): readonly ContactError[] {
  return [...contactIds].map((contactId) => ({ contactId, code, message }))
}
