import type { CustomField } from '../../prisma/generated/client/client.ts'
import { text } from '../kernel/check.ts'
import { type Details, NewContact } from './contact-details.ts'
import { maxTagsPerContact } from './contact-tags.ts'
import { maxValueLength, valueError } from './custom-field-rules.ts'
import { consentFields, textFields } from './fields.ts'
import type { Column, ImportField } from './import-columns.ts'
import { isCounted, type NumberedRow } from './import-file.ts'

/** A valid row of a file. Empty cells are absent. */
export interface ParsedRow {
  readonly line: number
  readonly email: string
  readonly details: Details
  readonly tags: readonly string[]
  readonly values: ReadonlyMap<number, string>
}

/** An error in a row. `line` is where the row begins. `column` is empty if the error concerns the whole row. */
export interface RowError {
  readonly line: number
  readonly column: string
  readonly message: string
}

/** Maximum errors that are stored for one row. */
const maxRowErrors = 10

/** Keys of contacts by import field. Tags, custom fields and ignored columns have none. */
const keyByField: Readonly<Partial<Record<ImportField, string>>> = Object.fromEntries(
  Object.entries({ ...textFields, ...consentFields }).map(([field, { key }]) => [field, key]),
)

const FieldText = text(maxValueLength)
const TagName = text(255)

/**
 * Returns a parser for the rows of a file. It validates contacts and custom field values by the rules of `contactCreate`.
 * The parser returns the errors of a row if the row has any.
 */
export function newRowParser(columns: readonly Column[], customFields: readonly CustomField[]) {
  const fieldsById = new Map(customFields.map((field) => [field.id, field]))
  const columnByKey = new Map(columns.map(({ column, field }) => [keyByField[field] as string, column]))

  return (numbered: NumberedRow): ParsedRow | RowError[] => {
    const [line] = numbered
    if (isCounted(numbered))
      return [{ line, column: '', message: `has ${numbered[1]} cells, but the header has ${columns.length}` }]
    const [, ...cells] = numbered
    const row = newDraft()
    const errors: RowError[] = []
    for (const [index, column] of columns.entries()) {
      const cell = unescaped(cells[index] as string)
      if (cell.trim() === '' || column.field === 'IGNORED') continue
      // A row can have a million of them, and has too many already.
      if (column.field === 'TAGS' && row.tags.size > maxTagsPerContact) continue
      const message = readCell(row, column, cell, fieldsById)
      if (message !== undefined) errors.push({ line, column: column.column, message })
    }
    if (row.tags.size > maxTagsPerContact)
      errors.push({ line, column: '', message: `must not contain more than ${maxTagsPerContact} tags` })
    const checked = NewContact.safeParse(row.contact)
    if (checked.success && errors.length === 0) {
      const { email, ...details } = checked.data
      return { line, email, details, tags: [...row.tags], values: row.values }
    }
    for (const { path, message } of checked.error?.issues ?? [])
      errors.push({ line, column: columnByKey.get(path.join('.')) ?? '', message })
    return errors.slice(0, maxRowErrors)
  }
}

/** The cells of a row that were read so far. */
interface RowDraft {
  readonly contact: Record<string, string | boolean>
  readonly tags: Set<string>
  readonly values: Map<number, string>
}

function newDraft(): RowDraft {
  return { contact: { email: '' }, tags: new Set(), values: new Map() }
}

/** Adds a cell that is not empty to a row. Returns why the cell is invalid, or undefined if it is valid. */
function readCell(
  { contact, tags, values }: RowDraft,
  { field, customFieldId }: Column,
  cell: string,
  fieldsById: ReadonlyMap<number, CustomField>,
): string | undefined {
  if (field === 'TAGS') {
    for (const tag of parseTags(cell)) {
      if (tags.has(tag)) continue
      if (!TagName.safeParse(tag).success)
        return 'must not contain a tag of more than 255 characters, or one that cannot be stored'
      tags.add(tag)
      if (tags.size > maxTagsPerContact) break
    }
    return undefined
  }
  if (field === 'CUSTOM_FIELD') {
    const customField = fieldsById.get(customFieldId as number)
    if (!customField) return 'belongs to a custom field that was deleted'
    const value = fieldValue(customField, cell)
    const message = FieldText.safeParse(value).error?.issues[0]?.message ?? valueError(customField, value)
    if (message === undefined) values.set(customField.id, value)
    return message
  }
  const key = keyByField[field] as string
  if (!Object.hasOwn(consentFields, field)) {
    contact[key] = field === 'EMAIL' ? cell.trim() : cell
    return undefined
  }
  const flag = parseBoolean(cell)
  if (flag === undefined) return 'must be true or false, yes or no, 1 or 0'
  contact[key] = flag
  return undefined
}

/** Removes the apostrophe that an export adds to text that a spreadsheet could run as a formula. */
function unescaped(cell: string): string {
  return cell.startsWith("'") && /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}

/** Splits tag names at commas and semicolons. A name that contains a separator is quoted. */
function parseTags(cell: string): string[] {
  const names = cell.includes('"')
    ? [...cell.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,;]*))\s*(?:[,;]|$)/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      )
    : cell.split(/[,;]/)
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  1: true,
  false: false,
  no: false,
  n: false,
  0: false,
}

function parseBoolean(cell: string): boolean | undefined {
  return booleans[cell.trim().toLowerCase()]
}

/** Returns a cell as the value of a custom field. Surrounding white space is significant only in text. */
function fieldValue({ type, values }: CustomField, cell: string): string {
  if (type === 'TEXT' || (type === 'SELECT' && values.includes(cell))) return cell
  return type === 'BOOLEAN' ? String(parseBoolean(cell) ?? cell) : cell.trim()
}
