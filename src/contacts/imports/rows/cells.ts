import type { CustomField } from '../../../../prisma/generated/client/client.ts'
import { text } from '../../../kernel/values/check.ts'
import { maxValueLength, valueError } from '../../custom-fields/custom-field-rules.ts'
import { parseBoolean } from './booleans.ts'
import type { Column } from './columns.ts'
import { type ColumnDates, type DateOrder, parseDate } from './dates.ts'
import { isAnyNumber, parseNumber } from './numbers.ts'
import type { CellProblem, ErrorCode } from './row-errors.ts'

const FieldText = text(maxValueLength)

/** Codes of values that are invalid for the type of their custom field. */
const codes = {
  TEXT: 'UNSTORABLE',
  SELECT: 'NOT_A_CHOICE',
  NUMBER: 'INVALID_NUMBER',
  DATE: 'INVALID_DATE',
  BOOLEAN: 'INVALID_BOOLEAN',
  URL: 'INVALID_URL',
} as const satisfies Record<CustomField['type'], ErrorCode>

/** Removes the apostrophe that an export adds to text that a spreadsheet could run as a formula. */
export function unescaped(cell: string): string {
  return cell.startsWith("'") && /^'+[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}

/** Returns a cell as the value of a custom field, or why it cannot be read. */
export function readFieldValue(
  field: CustomField,
  cell: string,
  { dates, numbers }: Pick<Column, 'dates' | 'numbers'>,
  now: Date,
): string | CellProblem {
  const value =
    field.type === 'NUMBER'
      ? (parseNumber(cell, numbers?.decimal) ?? cell.trim())
      : toValue(field, cell, dates?.order ?? null, now)
  if (field.type === 'NUMBER' && numbers?.decimal === null && /[.,]/.test(cell) && isAnyNumber(cell))
    return ambiguousNumber
  const unstorable = FieldText.safeParse(value).error?.issues[0]
  if (unstorable) {
    const isTooLong = (unstorable as { params?: { code?: string } }).params?.code === 'TOO_LONG'
    return { code: isTooLong ? 'TOO_LONG' : 'UNSTORABLE', message: unstorable.message }
  }
  const message = valueError(field, value)
  if (message === undefined) return value
  if (field.type === 'DATE') return dateProblem(cell, message, dates, now)
  return { code: codes[field.type], message }
}

const ambiguousNumber: CellProblem = {
  code: 'AMBIGUOUS_NUMBER',
  message:
    'is a number whose sign of decimals cannot be known: the numbers of the column fit a comma and a point, or neither',
}

/** Surrounding white space is significant only in text. */
function toValue({ type, values }: CustomField, cell: string, order: ColumnDates['order'], now: Date): string {
  if (type === 'TEXT' || (type === 'SELECT' && values.includes(cell))) return cell
  if (type === 'BOOLEAN') return String(parseBoolean(cell) ?? cell)
  if (type !== 'DATE') return cell.trim()
  const [date, other] = order
    ? [parseDate(cell, order, now)]
    : [parseDate(cell, 'DMY', now), parseDate(cell, 'MDY', now)]
  return date !== undefined && (order || date === other) ? date : cell.trim()
}

const orderWords = {
  DMY: 'day, month, year',
  MDY: 'month, day, year',
  YMD: 'year, month, day',
} as const satisfies Readonly<Record<DateOrder, string>>

function dateProblem(cell: string, message: string, dates: ColumnDates | undefined, now: Date): CellProblem {
  const isDate = (['DMY', 'MDY'] as const).some((order) => parseDate(cell, order, now) !== undefined)
  if (dates?.problem && isDate) {
    const reason =
      dates.problem === 'AMBIGUOUS'
        ? 'is a date whose day and month cannot be distinguished'
        : 'is a date, but the dates of the column have different orders'
    return { code: 'AMBIGUOUS_DATE', message: `${reason}: the import needs the order of day, month and year` }
  }
  const order = dates?.order && `, or in the order ${orderWords[dates.order]}`
  return { code: 'INVALID_DATE', message: `${message}${order ?? ''}` }
}
