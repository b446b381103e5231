import type { CustomField } from '../../prisma/generated/client/client.ts'
import { invalid } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'

/** What of a contact a column can hold. */
export const importFields = [
  'EMAIL',
  'FIRST_NAME',
  'LAST_NAME',
  'PHONE',
  'COMPANY_NAME',
  'CITY',
  'COUNTRY',
  'EMAIL_MARKETING',
  'GDPR',
  'TAGS',
  'CUSTOM_FIELD',
  'IGNORED',
] as const

export type ImportField = (typeof importFields)[number]

/** A column of a file, and what it is taken for. */
export interface Column {
  readonly column: string
  readonly field: ImportField
  readonly customFieldId: number | null
}

/** What a client says of a column by itself. */
export interface Mapping {
  readonly column: string
  readonly field?: ImportField | null | undefined
  readonly customFieldId?: string | number | null | undefined
}

/** How the columns of other systems are called, in small letters and digits alone. */
const known: Readonly<Record<string, ImportField>> = {
  email: 'EMAIL',
  emailaddress: 'EMAIL',
  mail: 'EMAIL',
  firstname: 'FIRST_NAME',
  givenname: 'FIRST_NAME',
  forename: 'FIRST_NAME',
  lastname: 'LAST_NAME',
  surname: 'LAST_NAME',
  familyname: 'LAST_NAME',
  phone: 'PHONE',
  phonenumber: 'PHONE',
  telephone: 'PHONE',
  mobile: 'PHONE',
  companyname: 'COMPANY_NAME',
  company: 'COMPANY_NAME',
  organization: 'COMPANY_NAME',
  organisation: 'COMPANY_NAME',
  city: 'CITY',
  town: 'CITY',
  country: 'COUNTRY',
  emailmarketing: 'EMAIL_MARKETING',
  optin: 'EMAIL_MARKETING',
  gdpr: 'GDPR',
  tags: 'TAGS',
  tag: 'TAGS',
}

/** What an export puts before the label of a custom field, so that none is taken for something else. */
export const fieldPrefix = 'custom_fields.'

/**
 * What each column of a file is: what the client says of it, or else what its name says, a custom field by its label too.
 * What nobody knows is ignored. Fails with VALIDATION_ERROR where a mapping names a column that is not there, where two
 * columns are the same field, and where none holds the address.
 */
export function columnsOf(
  header: readonly string[],
  mapping: readonly Mapping[],
  customFields: readonly CustomField[],
): Column[] {
  const names = header.map((name) => name.trim())
  if (names.some((name) => name.length > 1_000 || name.includes('\0'))) {
    throw invalid({ csv: ['has a column whose name is too long, or cannot be stored'] })
  }
  const missing = mapping.find(({ column }) => !names.includes(column.trim()))
  if (missing) throw invalid({ mapping: [`names the column “${missing.column}”, which the file does not have`] })
  const columns = names.map((column): Column => {
    const said = mapping.find((each) => each.column.trim() === column)
    return { column, ...(said ? targetOf(said, customFields) : targetByName(column, customFields)) }
  })
  const seen = new Set<string>()
  for (const { column, field, customFieldId } of columns) {
    if (field === 'IGNORED' || field === 'TAGS') continue
    const target = `${field} ${customFieldId ?? ''}`
    if (seen.has(target)) throw invalid({ csv: [`has two columns for one field: “${column}” is the second`] })
    seen.add(target)
  }
  if (!seen.has('EMAIL ')) throw invalid({ csv: ['has no column with the e-mail address'] })
  return columns
}

type Target = Pick<Column, 'field' | 'customFieldId'>

const ignored: Target = { field: 'IGNORED', customFieldId: null }

/** Checks what a client says of a column. Fails with VALIDATION_ERROR. */
export function targetOf({ column, field, customFieldId }: Mapping, customFields: readonly CustomField[]): Target {
  const wrong = (message: string) => invalid({ mapping: [`of the column “${column}” ${message}`] })
  if (field != null && field !== 'CUSTOM_FIELD') {
    if (customFieldId != null) throw wrong('names a field and a custom field')
    return { field, customFieldId: null }
  }
  if (customFieldId == null) throw wrong('names neither a field nor a custom field')
  const id = idOf('CustomField', customFieldId, 'mapping.customFieldId')
  if (!customFields.some((each) => each.id === id)) throw wrong('names a custom field that does not exist')
  return { field: 'CUSTOM_FIELD', customFieldId: id }
}

function targetByName(column: string, customFields: readonly CustomField[]): Target {
  const labelled = (label: string): Target | undefined => {
    const found = customFields.find(({ name }) => name === label)
    return found && { field: 'CUSTOM_FIELD', customFieldId: found.id }
  }
  if (column.startsWith(fieldPrefix)) return labelled(column.slice(fieldPrefix.length)) ?? ignored
  const field = known[column.toLowerCase().replace(/[^a-z0-9]/g, '')]
  return field ? { field, customFieldId: null } : (labelled(column) ?? ignored)
}
