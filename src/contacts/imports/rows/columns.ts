import type { CustomField } from '../../../../prisma/generated/client/client.ts'
import { invalid } from '../../../kernel/errors.ts'
import { idOf } from '../../../kernel/values/ids.ts'
import { isStorable } from '../../../kernel/values/storable-text.ts'
import { consentFields, findByName, regionalFields, textFields } from '../../record/fields.ts'
import {
  type ConsentReading,
  findConsent,
  isConsentName,
  isRefusalName,
  isStateName,
  type KnownConsent,
} from './consent-names.ts'
import { type ConsentMeaning, plainWords } from './consent-words.ts'
import type { ColumnDates } from './dates.ts'
import type { ColumnNumbers } from './numbers.ts'

/** Fields that a column of a file can be named for. */
const namedFields = { ...textFields, ...regionalFields, ...consentFields, TAGS: { column: 'tags', aliases: ['tag'] } }

/** Contact fields that a column can map to. */
export const importFields = [
  ...(Object.keys(namedFields) as (keyof typeof namedFields)[]),
  'CUSTOM_FIELD',
  'IGNORED',
] as const

export type ImportField = (typeof importFields)[number]

/** A column of a file and the contact field that it maps to. Stored as JSON in `contact_import.columns`. */
export interface Column {
  readonly column: string
  readonly field: ImportField
  readonly customFieldId: number | null
  /** Whether the client mapped it. It then has priority over columns that are mapped by name to the same field. */
  readonly isMapped?: true
  /** Order of day, month and year in the dates of the column. Added when all rows were read. */
  readonly dates?: ColumnDates
  /** Sign of decimals in the numbers of the column. Added when all rows were read. */
  readonly numbers?: ColumnNumbers
  /** How the cells are read, if the field is a consent. */
  readonly reading?: ConsentReading
  /** What the client, or the system that the file comes from, says that cells mean: by their words. */
  readonly values?: Readonly<Record<string, ConsentMeaning>>
  /** Number of cells with each meaning, if the field is a consent. Added when all rows were read. */
  readonly meanings?: Readonly<Partial<Record<ConsentMeaning | 'UNREADABLE', number>>>
  /** Whether the cells show that the column contains states of subscriptions: its name says only that it is a status. */
  readonly isGuessed?: true
  /** Whether the name is about consent, and the column is neither read nor explicitly ignored. */
  readonly isDoubtful?: true
}

/** A client's mapping of one column, by its name or its position. Stored as JSON in `contact_import.options`. */
export interface ColumnMapping {
  readonly column?: string | null | undefined
  /** The first column is 1. */
  readonly position?: number | null | undefined
  readonly field?: ImportField | null | undefined
  readonly customFieldId?: string | number | null | undefined
  readonly reading?: ConsentReading | null | undefined
  readonly values?: readonly { readonly value: string; readonly meaning: ConsentMeaning }[] | null | undefined
}

/** Prefix of custom field columns in an export, so that a label is not mistaken for another field. */
export const customFieldPrefix = 'custom_fields.'

/**
 * Maps each column of a file: by the client's mapping of its position, or else of its name, else by its name or the label
 * of a custom field. Unknown columns are ignored; one whose name is about consent is doubtful. Several columns can map to one
 * field.
 *
 * **Throws** VALIDATION_ERROR if a mapping refers to a missing column, or no column contains the e-mail address.
 */
export function mapColumns(
  header: readonly string[],
  mapping: readonly ColumnMapping[],
  customFields: readonly CustomField[],
): Column[] {
  const names = header.map((name) => name.trim())
  if (names.some((name) => name.length > 1_000 || !isStorable(name))) {
    throw invalid({
      csv: ['must not contain a column name that is longer than 1000 characters or that cannot be stored'],
    })
  }
  const byPosition = new Map<number, number>()
  const byName = new Map<string, number>()
  for (const [index, { column, position }] of mapping.entries()) {
    if (position != null) {
      if (position > names.length)
        throw invalid({
          [`mapping.${index}`]: [`contains the position ${position}, but the file has ${names.length} columns`],
        })
      if (!byPosition.has(position)) byPosition.set(position, index)
    } else {
      const name = column?.trim() ?? ''
      if (!byName.has(name)) byName.set(name, index)
    }
  }
  const known = new Set(names)
  for (const [name, index] of byName) {
    if (!known.has(name))
      throw invalid({ [`mapping.${index}`]: [`contains the column “${name}”, which the file does not have`] })
  }
  const columns = names.map((column, place): Column => {
    const index = byPosition.get(place + 1) ?? byName.get(column)
    if (index === undefined) return { column, ...targetByName(column, customFields) }
    const target = resolveTarget(mapping[index] as ColumnMapping, index, customFields)
    return { column, ...withReading(column, target), isMapped: true }
  })
  if (!columns.some(({ field }) => field === 'EMAIL'))
    throw invalid({ csv: ['must contain a column with the e-mail address'] })
  return columns
}

type Target = Pick<Column, 'field' | 'customFieldId' | 'reading' | 'values' | 'isDoubtful'>

const ignored: Target = { field: 'IGNORED', customFieldId: null }

const isConsentField = (field: ImportField | null | undefined) => field != null && Object.hasOwn(consentFields, field)

/** Returns the target with the reading that a column of refusals has by its name: a refusal is not taken for a consent. */
function withReading(column: string, target: Target): Target {
  if (!isConsentField(target.field)) return target
  const found = findConsent(column)
  const known: KnownConsent | undefined = found === 'UNREAD' ? undefined : found
  const usual = known?.reading ?? (isRefusalName(column) ? 'REFUSAL' : 'CONSENT')
  const values = target.values ?? known?.values
  return { ...target, reading: target.reading ?? usual, ...(values && { values }) }
}

/**
 * Returns the field that a client's mapping selects. **Throws** VALIDATION_ERROR if the mapping is invalid. `index` is its index.
 */
export function resolveTarget(
  { column, position, field, customFieldId, reading, values }: ColumnMapping,
  index: number,
  customFields: readonly CustomField[],
): Target {
  const invalidMapping = (message: string) => invalid({ [`mapping.${index}`]: [message] })
  if ((column == null) === (position == null)) throw invalidMapping('must contain either a column or a position')
  const name = column == null ? `for the column ${position}` : `for the column “${column}”`
  if ((reading != null || values != null) && !isConsentField(field))
    throw invalidMapping(`${name} must contain a reading or values only if the field is a consent`)
  if (field != null && field !== 'CUSTOM_FIELD') {
    if (customFieldId != null) throw invalidMapping(`${name} must not contain both a field and a custom field`)
    return {
      field,
      customFieldId: null,
      ...(reading != null && { reading }),
      ...(values != null && {
        values: Object.fromEntries(values.map(({ value, meaning }) => [plainWords(value), meaning])),
      }),
    }
  }
  if (customFieldId == null) throw invalidMapping(`${name} must contain a field or a custom field`)
  const id = idOf('CustomField', customFieldId, `mapping.${index}.customFieldId`)
  if (!customFields.some((each) => each.id === id))
    throw invalidMapping(`${name} contains a custom field that does not exist`)
  return { field: 'CUSTOM_FIELD', customFieldId: id }
}

function targetByName(column: string, customFields: readonly CustomField[]): Target {
  const targetByLabel = (label: string): Target | undefined => {
    const found = customFields.find(({ name }) => name === label)
    return found && { field: 'CUSTOM_FIELD', customFieldId: found.id }
  }
  if (column.startsWith(customFieldPrefix)) return targetByLabel(column.slice(customFieldPrefix.length)) ?? ignored
  const field = findByName(namedFields, column)
  if (field) return withReading(column, { field, customFieldId: null })
  const consent = findConsent(column)
  if (consent && consent !== 'UNREAD') return { field: 'EMAIL_MARKETING', customFieldId: null, ...consent }
  const target = targetByLabel(column) ?? ignored
  return consent === undefined && !isStateName(column) && isConsentName(column)
    ? { ...target, isDoubtful: true }
    : target
}

/** Returns a key of the field of a column. Undefined if several columns of the field do not replace each other. */
export function targetOf({ field, customFieldId }: Column): string | undefined {
  return field === 'IGNORED' || field === 'TAGS' || isConsentField(field)
    ? undefined
    : `${field} ${customFieldId ?? ''}`
}

/** Returns the columns with their indexes, in the order in which their cells are used: those that the client mapped first. */
export function columnsInOrder(columns: readonly Column[]): (readonly [index: number, column: Column])[] {
  return [...columns.entries()].sort(([, a], [, b]) => Number(b.isMapped ?? false) - Number(a.isMapped ?? false))
}
