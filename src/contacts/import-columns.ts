import type { CustomField } from '../../prisma/generated/client/client.ts'
import { invalid } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { isStorable } from '../kernel/storable-text.ts'
import { consentFields, findByName, textFields } from './fields.ts'

/** Fields that a column of a file can be named for. */
const namedFields = { ...textFields, ...consentFields, TAGS: { column: 'tags', aliases: ['tag'] } }

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
}

/** A client's mapping of one column. Stored as JSON in `contact_import.options`. */
export interface ColumnMapping {
  readonly column: string
  readonly field?: ImportField | null | undefined
  readonly customFieldId?: string | number | null | undefined
}

/** Prefix of custom field columns in an export, so that a label is not mistaken for another field. */
export const customFieldPrefix = 'custom_fields.'

/**
 * Maps each column of a file: by the client's mapping, else by its name or the label of a custom field. Unknown columns
 * are ignored.
 *
 * **Throws** VALIDATION_ERROR if a mapping refers to a missing column, two columns map to the same field, or no column
 * contains the e-mail address.
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
  for (const [index, { column }] of mapping.entries()) {
    if (!names.includes(column.trim()))
      throw invalid({ [`mapping.${index}`]: [`contains the column “${column}”, which the file does not have`] })
  }
  const columns = names.map((column): Column => {
    const index = mapping.findIndex((each) => each.column.trim() === column)
    const mapped = mapping[index]
    return { column, ...(mapped ? resolveTarget(mapped, index, customFields) : targetByName(column, customFields)) }
  })
  const seen = new Set<string>()
  for (const { column, field, customFieldId } of columns) {
    if (field === 'IGNORED' || field === 'TAGS') continue
    const target = `${field} ${customFieldId ?? ''}`
    if (seen.has(target))
      throw invalid({ csv: [`must not contain two columns for one field: “${column}” is the second`] })
    seen.add(target)
  }
  if (!seen.has('EMAIL ')) throw invalid({ csv: ['must contain a column with the e-mail address'] })
  return columns
}

type Target = Pick<Column, 'field' | 'customFieldId'>

const ignored: Target = { field: 'IGNORED', customFieldId: null }

/** Returns the field that a client's mapping selects. **Throws** VALIDATION_ERROR if the mapping is invalid. `index` is its index. */
export function resolveTarget(
  { column, field, customFieldId }: ColumnMapping,
  index: number,
  customFields: readonly CustomField[],
): Target {
  const invalidMapping = (message: string) =>
    invalid({ [`mapping.${index}`]: [`for the column “${column}” ${message}`] })
  if (field != null && field !== 'CUSTOM_FIELD') {
    if (customFieldId != null) throw invalidMapping('must not contain both a field and a custom field')
    return { field, customFieldId: null }
  }
  if (customFieldId == null) throw invalidMapping('must contain a field or a custom field')
  const id = idOf('CustomField', customFieldId, `mapping.${index}.customFieldId`)
  if (!customFields.some((each) => each.id === id)) throw invalidMapping('contains a custom field that does not exist')
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
