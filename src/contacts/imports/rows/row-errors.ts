import type { Ctx } from '../../../db/context.ts'
import { newTurns } from '../../../kernel/work/turns.ts'
import type { Reading } from '../file/file-reader.ts'
import { type NumberedRow, partsOf } from '../file/stored-rows.ts'
import { type Column, columnsInOrder, targetOf } from './columns.ts'

/** Codes of errors and warnings of an import, with their descriptions in the GraphQL API. */
export const errorCodes = {
  ALL_UNSUBSCRIBED: 'Every row says that its contact unsubscribed or complained, or that its address bounced.',
  AMBIGUOUS_DATE: 'The order of day and month is not known. Set `dateOrder`.',
  AMBIGUOUS_NUMBER: 'The sign of decimals is not known.',
  CELL_COUNT: 'A cell beyond the columns of the header contains something.',
  CONSENT_COLUMN:
    'The name of the column is about consent, but the column is neither mapped nor ignored. The options give no consent.',
  CONSENT_GUESSED: 'The column was read as the state of subscriptions, because all its cells are such states.',
  CONSENT_WITHDRAWN: 'The row contains a consent that the contact withdrew in this account. It stays withdrawn.',
  DELETED_FIELD: 'The custom field of the column was deleted.',
  DUPLICATE_COLUMN: 'Several columns contain the same field.',
  ENCODING: 'The file is not valid UTF-8, and was read as Windows-1252.',
  ERASED: 'The row concerns a person who was erased.',
  INVALID_BOOLEAN: 'The cell does not contain yes or no, or the state of a subscription.',
  INVALID_DATE: 'The cell does not contain an existing date.',
  INVALID_EMAIL: 'The cell does not contain a valid e-mail address.',
  INVALID_NUMBER: 'The cell does not contain a number.',
  INVALID_TAG: 'The cell contains a tag that is too long or cannot be stored.',
  INVALID_URL: 'The cell does not contain a URL.',
  INVALID_VALUE: 'The row or the cell is invalid for another reason.',
  NOT_A_CHOICE: 'The cell does not contain a choice of the custom field.',
  QUOTA_EXCEEDED: 'The contact would exceed the quota of the account.',
  ROW_TOO_LONG: 'The row has more than about 2 million characters.',
  SECOND_VALUE: 'Another column of the same field has a value, which was imported.',
  STRAY_QUOTE: 'The cell contains a quote in the wrong place.',
  TOO_LONG: 'The cell contains too many characters.',
  TOO_MANY_TAGS: 'The contact would have too many tags.',
  UNCLOSED_QUOTE: 'The cell begins with a quote that is never closed.',
  UNREADABLE_CHARACTER: 'The cell contains bytes that are invalid in the encoding.',
  UNSTORABLE: 'The cell contains characters that cannot be stored.',
} as const

export type ErrorCode = keyof typeof errorCodes

/** Why a cell or a row cannot be read. */
export interface CellProblem {
  readonly code: ErrorCode
  readonly message: string
}

/** An error or a warning in a row. `line` is where the row begins. `column` is empty if it concerns the whole row. */
export interface RowError {
  readonly line: number
  readonly column: string
  readonly severity: 'ERROR' | 'WARNING'
  readonly code: ErrorCode
  readonly message: string
  /** The cell, cut if it is long. Empty if the whole row is concerned. */
  readonly value: string
}

/** Characters of cells that one statement stores, so that no turn serializes the cells of many long rows. */
const maxBatchLength = 1024 * 1024

/** Maximum length of the value of an error. */
const maxValueLength = 200

/** Returns an error. One of a cell is a warning, unless the cell is required. */
export function rowError(
  line: number,
  column: string,
  problem: CellProblem,
  cell?: string,
  isRequired = false,
): RowError {
  const severity = cell === undefined || isRequired ? 'ERROR' : 'WARNING'
  return { line, column, severity, ...problem, value: shorten(cell ?? '') }
}

/** Cuts a long text between words, so that no part of an e-mail address remains that an erasure would not find. */
function shorten(text: string): string {
  // One sign more than is shown: a cell can have millions.
  const storable = text
    .slice(0, maxValueLength + 1)
    .replaceAll('\0', '\ufffd')
    .toWellFormed()
  if (storable.length <= maxValueLength) return storable
  return `${storable.slice(0, maxValueLength).replace(/[^\s,;]*$/, '')}…`
}

/** Errors and warnings of one kind in one column. Stored as JSON in `contact_import.error_groups`. */
export interface ErrorGroup extends Omit<RowError, 'line' | 'value'> {
  readonly count: number
  /** The first lines, at most five. */
  readonly lines: readonly number[]
}

const maxGroups = 1_000
const maxLines = 5

/**
 * Returns groups with the counts of further errors. Errors of more than 1,000 kinds are counted with the others of their code.
 */
export function addToGroups(groups: readonly ErrorGroup[], errors: readonly RowError[]): ErrorGroup[] {
  const keyOf = ({ severity, code, column }: Omit<RowError, 'line' | 'value' | 'message'>) =>
    `${severity} ${code} ${column}`
  const byKey = new Map(groups.map((group) => [keyOf(group), group]))
  for (const { line, value: _value, ...kind } of errors) {
    const isFull = byKey.size >= maxGroups && !byKey.has(keyOf(kind))
    const counted = isFull ? { ...kind, column: '' } : kind
    const group = byKey.get(keyOf(counted)) ?? { ...counted, count: 0, lines: [] }
    const lines = group.lines.length < maxLines && !group.lines.includes(line) ? [...group.lines, line] : group.lines
    byKey.set(keyOf(counted), { ...group, count: group.count + 1, lines })
  }
  return [...byKey.values()].toSorted(
    (a, b) => Number(a.severity !== 'ERROR') - Number(b.severity !== 'ERROR') || b.count - a.count,
  )
}

/** Stores errors, with the cells of their row at the first error of a row that was not applied. */
export async function storeErrors(
  tx: Ctx,
  importId: number,
  errors: readonly RowError[],
  rows: readonly NumberedRow[],
): Promise<void> {
  if (errors.length === 0) return
  const failed = new Set(errors.filter(({ severity }) => severity === 'ERROR').map(({ line }) => line))
  const rowsByLine = new Map(rows.flatMap((row) => (failed.has(row[0]) ? [[row[0], row] as const] : [])))
  const turn = newTurns()
  let [batch, length] = [[] as object[], 0]
  for (const [index, error] of errors.entries()) {
    await turn()
    const row = error.severity === 'ERROR' ? rowsByLine.get(error.line) : undefined
    if (row) rowsByLine.delete(error.line)
    const cells = row && JSON.stringify(partsOf(row).cells.map(withoutNul))
    batch.push({ ...error, cells })
    length += cells?.length ?? 0
    if (index < errors.length - 1 && length < maxBatchLength) continue
    await insertErrors(tx, importId, batch)
    ;[batch, length] = [[], 0]
  }
}

async function insertErrors(tx: Ctx, importId: number, errors: readonly object[]): Promise<void> {
  await tx.sql`
    INSERT INTO contact_import_error (account_id, import_id, line, "column", severity, code, message, value, cells)
    SELECT ${tx.sql.account}::int, ${importId}::int, g.line, g."column", g.severity::import_severity, g.code, g.message, g.value, g.cells
    FROM json_to_recordset(${JSON.stringify(errors)}::json)
      AS g(line int, "column" text, severity text, code text, message text, value text, cells text) ORDER BY g.line`
}

const withoutNul = (cell: string) => cell.replaceAll('\0', '\ufffd').toWellFormed()

/** What is found out about a file while its rows are stored. */
export interface FileFindings {
  readonly columns: readonly Column[]
  readonly reading: Reading
  readonly haveAllLeft: boolean
}

/** Returns the warnings about a file as a whole: its encoding, columns of the same field, and consents that are in doubt. */
export function fileWarnings({ columns, reading: { invalidFrom, headerLine }, haveAllLeft }: FileFindings): RowError[] {
  const warnings: RowError[] = []
  const warn = (line: number, column: string, code: ErrorCode, message: string) =>
    warnings.push({ line, column, severity: 'WARNING', code, message, value: '' })
  if (invalidFrom !== undefined)
    warn(invalidFrom, '', 'ENCODING', 'has bytes that are not UTF-8, so the file was read as Windows-1252')
  if (haveAllLeft) warn(headerLine, '', 'ALL_UNSUBSCRIBED', 'begins a file in which every contact has left')
  const first = new Map<string, readonly [index: number, column: Column]>()
  for (const [index, column] of columnsInOrder(columns)) {
    if (column.isDoubtful) warn(headerLine, column.column, 'CONSENT_COLUMN', doubt)
    if (column.isGuessed) warn(headerLine, column.column, 'CONSENT_GUESSED', guess)
    const target = targetOf(column)
    if (target === undefined) continue
    const [at, used] = first.get(target) ?? []
    if (at === undefined || !used) first.set(target, [index, column])
    else {
      const message = `is column ${index + 1} and contains the same field as column ${at + 1} “${used.column}”: column ${at + 1} is imported, unless its cell is empty`
      warn(headerLine, column.column, 'DUPLICATE_COLUMN', message)
    }
  }
  return warnings
}

const doubt =
  'is about consent, but was neither mapped nor ignored, so that the options of the import gave consent to nobody: map the column, or ignore it'
const guess =
  'was read as the state of subscriptions, so that those who unsubscribed do not get e-mail: map the column, or ignore it, if it is about something else'
