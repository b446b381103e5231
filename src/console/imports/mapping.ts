import { t } from '@lingui/core/macro'
import type { ImportCreateMutationVariables } from '../generated/imports.documents.ts'
import { contactTexts } from '../generated/text-fields.documents.ts'

type ColumnMapping = NonNullable<NonNullable<ImportCreateMutationVariables['input']['mapping']>[number]>
type ImportField = NonNullable<ColumnMapping['field']>

/** A choice of a field: a field, or one with another reading of its cells. */
type FieldChoice = ImportField | 'REFUSAL' | 'BOUNCE'

/** A custom field that a column can be imported to. */
interface CustomField {
  readonly databaseId: number
  readonly name: string
}

const fields = (): readonly { readonly value: FieldChoice; readonly label: string }[] => [
  ...contactTexts.map(({ field, label }) => ({ value: field, label })),
  { value: 'TIME_ZONE', label: t`Time zone` },
  { value: 'LOCALE', label: t`Language` },
  { value: 'TAGS', label: t`Tags` },
  { value: 'EMAIL_MARKETING', label: t`Accepts e-mail` },
  { value: 'REFUSAL', label: t`Refuses e-mail` },
  { value: 'BOUNCE', label: t`Address bounces` },
  { value: 'GDPR', label: t`Accepts processing` },
]

/** The server maps the column by its name. */
const byName = 'BY_NAME'

/** A custom field that does not exist yet. */
export const newTarget = 'NEW'

/** Returns the target that is a custom field. */
export const customTarget = ({ databaseId }: Pick<CustomField, 'databaseId'>): string => `custom:${databaseId}`

/** Returns what a column can be imported to. `found` is the field that the server found by the name of the column. */
export function targets(customFields: readonly CustomField[], found?: string): { value: string; label: string }[] {
  const custom = customFields.map((field) => ({ value: customTarget(field), label: field.name }))
  return [
    { value: 'IGNORED', label: t`Not imported` },
    { value: byName, label: found === undefined ? t`By its name` : t`${found} (by its name)` },
    ...fields(),
    ...custom,
    { value: newTarget, label: t`New field…` },
  ]
}

/** A column as the server read it, with the field that it is imported to. */
export interface FoundColumn {
  readonly position: number
  readonly field: ImportField
  readonly reading: string | null
  readonly customField: { readonly name: string } | null
}

/** Returns the name of the field that a column was mapped to. */
export function fieldLabel({ field, reading, customField }: Omit<FoundColumn, 'position'>): string {
  if (field === 'CUSTOM_FIELD') return customField?.name ?? ''
  if (field === 'IGNORED') return t`Not imported`
  const choice = fields().find(({ value }) => value === reading) ?? fields().find(({ value }) => value === field)
  return choice?.label ?? ''
}

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Returns the target that a column probably has. Of several columns with the same target, only the first one has it. */
export function guess(names: readonly string[], customFields: readonly CustomField[]): string[] {
  const known = targets(customFields).filter(({ value }) => value !== newTarget)
  const taken = new Set<string>()
  return names.map((name) => {
    const found = known.find(({ value, label }) => [plain(value), plain(label)].includes(plain(name)))?.value ?? byName
    if (found === byName || taken.has(found)) return byName
    taken.add(found)
    return found
  })
}

/** Returns the mapping of the columns that are not mapped by their name. */
export function toMapping(columns: readonly { readonly position: number; readonly target: string }[]): ColumnMapping[] {
  return columns.flatMap(({ position, target }): ColumnMapping[] => {
    if (target === byName) return []
    if (target.startsWith('custom:')) return [{ position, customFieldId: target.slice('custom:'.length) }]
    if (target === 'REFUSAL' || target === 'BOUNCE') return [{ position, field: 'EMAIL_MARKETING', reading: target }]
    return [{ position, field: target as ImportField }]
  })
}
