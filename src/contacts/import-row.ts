import type { CustomField } from '../../prisma/generated/client/client.ts'
import { text } from '../kernel/check.ts'
import { mostTags } from './contact-tags.ts'
import { NewContact } from './contacts.ts'
import { faultOf, longestValue } from './field-value.ts'
import type { Column, ImportField } from './import-columns.ts'
import type { NumberedRow } from './import-file.ts'

/** What a row says of a contact; what its cells leave empty is not in it. */
export interface ReadRow {
  readonly line: number
  readonly email: string
  readonly details: Details
  readonly tags: readonly string[]
  readonly values: ReadonlyMap<number, string>
}

export interface Details {
  firstName?: string
  lastName?: string
  phone?: string
  companyName?: string
  city?: string
  country?: string
  emailMarketing?: boolean
  gdpr?: boolean
}

/** What is wrong with a line; the column is empty where it is the line as a whole. */
export interface LineFault {
  readonly line: number
  readonly column: string
  readonly message: string
}

/** So much is told of one line. */
const mostFaults = 10

const plain: Partial<Record<ImportField, keyof Details | 'email'>> = {
  EMAIL: 'email',
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  PHONE: 'phone',
  COMPANY_NAME: 'companyName',
  CITY: 'city',
  COUNTRY: 'country',
}

const Value = text(longestValue)
const TagName = text(255)

/**
 * Reads rows of a file by the rules for contacts and for values of custom fields. A row with anything wrong in it gives
 * what is wrong, and nothing else.
 */
export function newRowReader(columns: readonly Column[], customFields: readonly CustomField[]) {
  const fields = new Map(customFields.map((field) => [field.id, field]))
  const columnOf = new Map(columns.map(({ column, field }) => [plain[field] as string, column]))

  return ([line, ...cells]: NumberedRow): ReadRow | LineFault[] => {
    const faults: LineFault[] = []
    const wrong = (column: string, message: string) => void faults.push({ line, column, message })
    if (cells.length !== columns.length) {
      wrong('', `has ${cells.length} cells, and the header ${columns.length}`)
      return faults
    }
    const given: Record<string, string | boolean> = { email: '' }
    const tags = new Set<string>()
    const values = new Map<number, string>()
    for (const [index, { column, field, customFieldId }] of columns.entries()) {
      const cell = unescaped(cells[index] as string)
      if (cell.trim() === '' || field === 'IGNORED') continue
      const name = plain[field]
      if (name) {
        given[name] = name === 'email' ? cell.trim() : cell
      } else if (field === 'TAGS') {
        for (const tag of tagsOf(cell)) tags.add(tag)
        const long = [...tags].some((tag) => !TagName.safeParse(tag).success)
        if (long) wrong(column, 'has a tag of more than 255 characters, or one that cannot be stored')
      } else if (field === 'CUSTOM_FIELD') {
        const custom = fields.get(customFieldId as number)
        const value = custom && cellValue(custom, cell)
        const fault =
          custom && value !== undefined ? faultOfValue(custom, value) : 'is for a custom field that has gone'
        if (fault !== undefined) wrong(column, fault)
        else values.set(customFieldId as number, value as string)
      } else {
        const flag = booleanOf(cell)
        if (flag === undefined) wrong(column, 'must be true or false, yes or no, 1 or 0')
        else given[field === 'GDPR' ? 'gdpr' : 'emailMarketing'] = flag
      }
    }
    if (tags.size > mostTags) wrong('', `has more than ${mostTags} tags`)
    const checked = NewContact.safeParse(given)
    if (checked.success && faults.length === 0) {
      const { email, ...details } = checked.data
      return { line, email, details: details as Details, tags: [...tags], values }
    }
    for (const { path, message } of checked.error?.issues ?? []) wrong(columnOf.get(path.join('.')) ?? '', message)
    return faults.slice(0, mostFaults)
  }
}

/** Text as it was before an export put an apostrophe before it, so that no spreadsheet takes it for a formula. */
function unescaped(cell: string): string {
  return cell.startsWith("'") && /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}

/** Names parted by commas or semicolons; one that holds such a sign itself stands in quotes. */
function tagsOf(cell: string): string[] {
  const names = cell.includes('"')
    ? [...cell.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,;]*))\s*(?:[,;]|$)/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      )
    : cell.split(/[,;]/)
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

const words: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  y: true,
  1: true,
  false: false,
  no: false,
  n: false,
  0: false,
}

function booleanOf(cell: string): boolean | undefined {
  return words[cell.trim().toLowerCase()]
}

/** A cell as the value of a custom field: blanks around it belong to text alone. */
function cellValue({ type, values }: CustomField, cell: string): string {
  if (type === 'TEXT' || (type === 'SELECT' && values.includes(cell))) return cell
  return type === 'BOOLEAN' ? String(booleanOf(cell) ?? cell) : cell.trim()
}

function faultOfValue(field: CustomField, value: string): string | undefined {
  return Value.safeParse(value).error?.issues[0]?.message ?? faultOf(field, value)
}
