import type { CustomField } from '../../../../prisma/generated/client/client.ts'
import { invalid } from '../../../kernel/errors.ts'
import { idOf } from '../../../kernel/values/ids.ts'
import { isStorable } from '../../../kernel/values/storable-text.ts'
import { consentFields, findByName, regionalFields, textFields } from '../../record/fields.ts'
import type { ColumnDates } from './dates.ts'

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
}

/** A client's mapping of one column, by its name or its position. Stored as JSON in `contact_import.options`. */
export interface ColumnMapping {
  readonly column?: string | null | undefined
  /** The first column is 1. */
  readonly position?: number | null | undefined
  readonly field?: ImportField | null | undefined
  readonly customFieldId?: string | number | null | undefined
}

/** Prefix of custom field columns in an export, so that a label is not mistaken for another field. */
export const customFieldPrefix = 'custom_fields.'

/**
 * Maps each column of a file: by the client's mapping of its position, or else of its name, else by its name or the label
 * of a custom field. Unknown columns are ignored. Several columns can map to one field.
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
    return { column, ...resolveTarget(mapping[index] as ColumnMapping, index, customFields), isMapped: true }
  })
  if (!columns.some(({ field }) => field === 'EMAIL'))
    throw invalid({ csv: ['must contain a column with the e-mail address'] })
  return columns
}

type Target = Pick<Column, 'field' | 'customFieldId'>

const ignored: Target = { field: 'IGNORED', customFieldId: null }

/**
 * Returns the field that a client's mapping selects. **Throws** VALIDATION_ERROR if the mapping is invalid. `index` is its index.
 */
export function resolveTarget(
  { column, position, field, customFieldId }: ColumnMapping,
  index: number,
  customFields: readonly CustomField[],
): Target {
  const invalidMapping = (message: string) => invalid({ [`mapping.${index}`]: [message] })
  if ((column == null) === (position == null)) throw invalidMapping('must contain either a column or a position')
  const name = column == null ? `for the column ${position}` : `for the column “${column}”`
  if (field != null && field !== 'CUSTOM_FIELD') {
    if (customFieldId != null) throw invalidMapping(`${name} must not contain both a field and a custom field`)
    return { field, customFieldId: null }
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
  return field ? { field, customFieldId: null } : (targetByLabel(column) ?? ignored)
}

/** Returns a key of the field of a column. Undefined if several columns of the field do not replace each other. */
export function targetOf({ field, customFieldId }: Column): string | undefined {
  return field === 'IGNORED' || field === 'TAGS' ? undefined : `${field} ${customFieldId ?? ''}`
}

/** Returns the columns with their indexes, in the order in which their cells are used: those that the client mapped first. */
export function columnsInOrder(columns: readonly Column[]): (readonly [index: number, column: Column])[] {
  return [...columns.entries()].sort(([, a], [, b]) => Number(b.isMapped ?? false) - Number(a.isMapped ?? false))
}
