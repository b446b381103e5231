import type { CustomField } from '../../../prisma/generated/client/client.ts'

/** Maximum characters of a value (REST specification, Limits). */
export const maxValueLength = 1_000

/** Returns why a value is invalid for a custom field, or undefined if it is valid. */
export function valueError(field: Pick<CustomField, 'type' | 'values'>, value: string): string | undefined {
  switch (field.type) {
    case 'TEXT':
      return undefined
    case 'SELECT':
      return field.values.includes(value) ? undefined : `must be one of: ${field.values.join(', ')}`
    case 'NUMBER':
      return /^-?\d+(\.\d+)?$/.test(value) ? undefined : 'must be a number such as 12 or -3.5'
    case 'DATE':
      return isDate(value) ? undefined : 'must be an existing date in the format YYYY-MM-DD'
    case 'BOOLEAN':
      return value === 'true' || value === 'false' ? undefined : 'must be true or false'
    case 'URL':
      return isHttpUrl(value) ? undefined : 'must be a URL that starts with http:// or https://'
  }
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript parses 30 February as 2 March, so only an existing date formats back to the same text.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}
