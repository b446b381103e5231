import type { CustomField } from '../../prisma/generated/client/client.ts'

/** How long a value can be (REST specification, Limits). */
export const longestValue = 1_000

/** What is wrong with a value for a custom field, in words for people, or undefined where it is right. */
export function faultOf(field: Pick<CustomField, 'type' | 'values'>, value: string): string | undefined {
  switch (field.type) {
    case 'TEXT':
      return undefined
    case 'SELECT':
      return field.values.includes(value) ? undefined : `must be one of: ${field.values.join(', ')}`
    case 'NUMBER':
      return /^-?\d+(\.\d+)?$/.test(value) ? undefined : 'must be a number such as 12 or -3.5'
    case 'DATE':
      return isDate(value) ? undefined : 'must be a date that exists, as YYYY-MM-DD'
    case 'BOOLEAN':
      return value === 'true' || value === 'false' ? undefined : 'must be true or false'
    case 'URL':
      return isWebAddress(value) ? undefined : 'must be an address that starts with http:// or https://'
  }
}

function isDate(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const date = new Date(`${value}T00:00:00Z`)
  // JavaScript reads 30 February as 2 March; a date that exists comes back as it went in.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

function isWebAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}
