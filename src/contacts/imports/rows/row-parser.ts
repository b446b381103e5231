import type { CustomField } from '../../../../prisma/generated/client/client.ts'
import { isWithin } from '../../../kernel/values/check.ts'
import { isStorable } from '../../../kernel/values/storable-text.ts'
import { type Details, NewContact } from '../../record/contact-details.ts'
import { type ConsentKey, consentFields, type FieldConsent, regionalFields, textFields } from '../../record/fields.ts'
import { maxTagsPerContact } from '../../tags/contact-tags.ts'
import { type NumberedRow, partsOf, type RowNotes } from '../file/stored-rows.ts'
import { readFieldValue, unescaped } from './cells.ts'
import { type Column, columnsInOrder, type ImportField, targetOf } from './columns.ts'
import { readConsent } from './consent-cells.ts'
import { type ConsentMeaning, strongest } from './consent-words.ts'
import { type CellProblem, type ErrorCode, type RowError, rowError } from './row-errors.ts'
import { parseTags } from './tag-names.ts'

/** A valid row of a file. Empty cells, and those that cannot be read, are absent. */
export interface ParsedRow {
  readonly line: number
  readonly email: string
  readonly details: Details
  readonly tags: readonly string[]
  readonly values: ReadonlyMap<number, string>
  /** Consents that the row neither gives nor refuses: pending, or not readable. A new contact does not have them. */
  readonly withheld: readonly ConsentKey[]
  /** Why the address is suppressed. Absent if it is not. */
  readonly suppressed?: SuppressedFor | undefined
}

/** Why the address of a row does not get e-mail anymore, with the names of reasons of suppressions. */
export type SuppressedFor = 'BOUNCE' | 'COMPLAINT'

/** Maximum errors and warnings that are stored for one row. */
const maxRowErrors = 10

/** Keys of contacts by import field. Consents, tags, custom fields and ignored columns have none. */
const keyByField: Readonly<Partial<Record<ImportField, string>>> = Object.fromEntries(
  Object.entries({ ...textFields, ...regionalFields }).map(([field, { key }]) => [field, key]),
)

/** Maximum length of the name of a tag. */
const maxTagLength = 255

/** The longest cell whose tags a contact can have: each quote in a name is doubled. */
const maxTagsLength = maxTagsPerContact * (2 * maxTagLength + 3)

/**
 * Returns a parser for the rows of a file. It validates contacts and custom field values by the rules of `contactCreate`. A
 * row without a valid e-mail address, or with a value beyond the columns of the header, has an error and is not applied. Any
 * other cell that cannot be read is left out, with a warning. `now` determines the century of two-digit years.
 */
export function newRowParser(columns: readonly Column[], customFields: readonly CustomField[], now = new Date()) {
  const reader = new RowReader(columns, customFields, now)
  return (row: NumberedRow): { parsed?: ParsedRow; errors: RowError[] } => {
    const { line, notes, cells } = partsOf(row)
    const invalid = rowProblem(notes, columns.length)
    if (invalid) return { errors: [rowError(line, '', invalid, notes.hasSurplus && cells[columns.length], true)] }
    const draft = reader.read(line, cells, notes)
    const checked = checkDraft(draft, reader)
    const errors = [...draft.errors, ...draft.warnings].slice(0, maxRowErrors)
    if (draft.errors.length > 0 || !checked) return { errors }
    const { email, ...details } = checked
    const { tags, values, meanings } = draft
    const suppressed = suppressionOf(meanings.get('emailMarketing'))
    const { consents, withheld } = readConsents(meanings)
    const parsed = { line, email, details: { ...details, ...consents }, tags: [...tags], values, withheld, suppressed }
    return { parsed, errors }
  }
}

function rowProblem({ hasSurplus, isTooLong }: RowNotes, width: number): CellProblem | undefined {
  if (isTooLong) return { code: 'ROW_TOO_LONG', message: 'is too long: a row can have about 2 million characters' }
  return hasSurplus
    ? { code: 'CELL_COUNT', message: `has a value after column ${width}, which is the last one of the header` }
    : undefined
}

/** What was read of a row so far. */
interface RowDraft {
  readonly line: number
  readonly contact: Record<string, string>
  readonly tags: Set<string>
  readonly values: Map<number, string>
  /** What the cells of each consent say. Undefined for a cell that cannot be read. */
  readonly meanings: Map<ConsentKey, (ConsentMeaning | undefined)[]>
  readonly errors: RowError[]
  readonly warnings: RowError[]
  /** The column that each field was read from, with its cell. */
  readonly used: Map<string, { readonly column: string; readonly cell: string }>
}

class RowReader {
  readonly #columns: readonly (readonly [index: number, column: Column])[]
  readonly #fieldsById: ReadonlyMap<number, CustomField>
  readonly #now: Date

  constructor(columns: readonly Column[], customFields: readonly CustomField[], now: Date) {
    this.#columns = columnsInOrder(columns).filter(([, { field }]) => field !== 'IGNORED')
    this.#fieldsById = new Map(customFields.map((field) => [field.id, field]))
    this.#now = now
  }

  /** Reads the cells of a row. */
  read(line: number, cells: readonly string[], notes: RowNotes): RowDraft {
    const draft: RowDraft = {
      line,
      contact: { email: '' },
      tags: new Set(),
      values: new Map(),
      meanings: new Map(),
      errors: [],
      warnings: [],
      used: new Map(),
    }
    for (const [index, column] of this.#columns) {
      const cell = unescaped(cells[index] ?? '')
      if (cell.trim() === '' || this.#isReplaced(draft, column, cell)) continue
      const problem = quoteProblem(index, notes) ?? this.#readCell(draft, column, cell)
      if (problem) this.#addProblem(draft, column, cell, problem)
      if (notes.stray?.includes(index)) draft.warnings.push(rowError(line, column.column, strayQuote, cell))
    }
    if (draft.tags.size > maxTagsPerContact) {
      const message = `must not contain more than ${maxTagsPerContact} tags`
      draft.errors.push(rowError(line, '', { code: 'TOO_MANY_TAGS', message }))
    }
    return draft
  }

  /** Returns the name of the column that a field of the contact was read from, or of the first column of the field. */
  columnOf({ used }: RowDraft, key: string): string {
    const columns = this.#columns.map(([, column]) => column).filter(({ field }) => keyByField[field] === key)
    const read = columns.flatMap((column) => used.get(targetOf(column) as string)?.column ?? [])
    return read[0] ?? columns[0]?.column ?? ''
  }

  /** Returns whether an earlier column of the same field has a value. Warns if this one has another value. */
  #isReplaced({ line, used, warnings }: RowDraft, column: Column, cell: string): boolean {
    const target = targetOf(column)
    if (target === undefined) return false
    const first = used.get(target)
    if (!first) used.set(target, { column: column.column, cell })
    else if (first.cell.trim() !== cell.trim()) {
      const message = `was not imported, because the column “${first.column}” contains a value for the same field`
      warnings.push(rowError(line, column.column, { code: 'SECOND_VALUE', message }, cell))
    }
    return first !== undefined
  }

  #addProblem(draft: RowDraft, { column, field }: Column, cell: string, problem: CellProblem): void {
    const isRequired = field === 'EMAIL'
    draft[isRequired ? 'errors' : 'warnings'].push(rowError(draft.line, column, problem, cell, isRequired))
    if (isConsent(field)) addMeaning(draft, field, undefined)
  }

  /** Adds a cell that is not empty to a row. Returns why the cell cannot be read, or undefined if it can. */
  #readCell(draft: RowDraft, column: Column, cell: string): CellProblem | undefined {
    const { field, customFieldId } = column
    if (cell.includes('\ufffd'))
      return {
        code: 'UNREADABLE_CHARACTER',
        message: 'contains a character that cannot be read in the encoding of the file',
      }
    if (field === 'TAGS') return readTags(draft.tags, cell)
    if (field === 'CUSTOM_FIELD') {
      const customField = this.#fieldsById.get(customFieldId as number)
      if (!customField) return { code: 'DELETED_FIELD', message: 'belongs to a custom field that was deleted' }
      const value = readFieldValue(customField, cell, column, this.#now)
      if (typeof value !== 'string') return value
      draft.values.set(customField.id, value)
      return undefined
    }
    if (!isConsent(field)) {
      draft.contact[keyByField[field] as string] = field === 'EMAIL' ? cell.trim() : cell
      return undefined
    }
    const meaning = readConsent(column, cell)
    if (meaning === undefined) return unreadableConsent
    addMeaning(draft, field, meaning)
    return undefined
  }
}

const unreadableConsent: CellProblem = {
  code: 'INVALID_BOOLEAN',
  message: 'must be true or false, yes or no, 1 or 0, or a state such as subscribed, unsubscribed or pending',
}

const isConsent = (field: ImportField): field is FieldConsent => Object.hasOwn(consentFields, field)

function addMeaning({ meanings }: RowDraft, field: FieldConsent, meaning: ConsentMeaning | undefined): void {
  const { key } = consentFields[field]
  meanings.set(key, [...(meanings.get(key) ?? []), meaning])
}

/** Returns the consents of a row. A refusal in one cell wins over all others, and what is not certain over a consent. */
function readConsents(meanings: RowDraft['meanings']) {
  const consents: { [Key in ConsentKey]?: boolean } = {}
  const withheld: ConsentKey[] = []
  for (const [key, found] of meanings) {
    const meaning = strongest(found.map((each) => each ?? 'PENDING'))
    if (meaning === 'GRANTED') consents[key] = true
    else if (meaning === 'PENDING' || meaning === 'BOUNCED') withheld.push(key)
    else if (meaning !== 'NONE') consents[key] = false
  }
  return { consents, withheld }
}

function suppressionOf(meanings: readonly (ConsentMeaning | undefined)[] = []): SuppressedFor | undefined {
  if (meanings.includes('COMPLAINED')) return 'COMPLAINT'
  return meanings.includes('BOUNCED') ? 'BOUNCE' : undefined
}

const strayQuote: CellProblem = {
  code: 'STRAY_QUOTE',
  message: 'contains a quote in the wrong place, and was imported as it probably was meant',
}

function quoteProblem(index: number, { unclosed }: RowNotes): CellProblem | undefined {
  if (!unclosed?.includes(index)) return undefined
  return { code: 'UNCLOSED_QUOTE', message: 'begins with a quote that is never closed' }
}

/** Adds the tags of a cell. A tag that is invalid is left out. */
function readTags(tags: Set<string>, cell: string): CellProblem | undefined {
  // A row can have a million tags, and has too many already.
  if (tags.size > maxTagsPerContact) return undefined
  if (cell.length > maxTagsLength) return { code: 'TOO_LONG', message: `must have at most ${maxTagsLength} characters` }
  let problem: CellProblem | undefined
  for (const tag of parseTags(cell)) {
    if (tags.has(tag)) continue
    // Without the schema, because a cell can have a million names.
    if (isWithin(tag, maxTagLength) && isStorable(tag)) tags.add(tag)
    else {
      const message = `must not contain a tag of more than ${maxTagLength} characters, or one that cannot be stored`
      problem ??= { code: 'INVALID_TAG', message }
    }
    if (tags.size > maxTagsPerContact) break
  }
  return problem
}

type CheckedContact = ReturnType<typeof NewContact.parse>

/** Checks the contact of a row. Adds an error for its address, and warnings for other fields, which are left out. */
function checkDraft(draft: RowDraft, reader: RowReader): CheckedContact | undefined {
  const checked = NewContact.safeParse(draft.contact)
  if (checked.success) return checked.data
  const { contact, line, errors, warnings } = draft
  for (const { path, message, params } of checked.error.issues as {
    path: string[]
    message: string
    params?: { code?: string }
  }[]) {
    const key = path.join('.')
    if (!Object.hasOwn(contact, key)) continue
    const cell = contact[key] as string
    const column = reader.columnOf(draft, key)
    const known = (['TOO_LONG', 'INVALID_VALUE'] as const).find((each) => each === params?.code)
    const code: ErrorCode = known ?? (key === 'email' ? 'INVALID_EMAIL' : 'UNSTORABLE')
    if (key !== 'email') warnings.push(rowError(line, column, { code, message }, cell))
    // An address that cannot be read has its error already.
    else if (errors.length === 0 || cell !== '') errors.push(rowError(line, column, { code, message }, cell, true))
    delete contact[key]
  }
  return errors.length > 0 ? undefined : NewContact.parse(contact)
}
