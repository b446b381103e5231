import { type NumberedRow, partsOf } from '../file/stored-rows.ts'
import { unescaped } from './cells.ts'
import type { Column } from './columns.ts'
import { readConsent } from './consent-cells.ts'
import { isStateName } from './consent-names.ts'
import { type ConsentMeaning, hasLeft } from './consent-words.ts'

/** What the columns about consent of a file say, after all of its rows were read. */
interface ConsentFindings {
  readonly columns: readonly Column[]
  /** Whether every row says that its contact left, as in a file of those who unsubscribed. */
  readonly haveAllLeft: boolean
}

interface ConsentTally {
  add(rows: readonly NumberedRow[]): void
  result(columns: readonly Column[]): ConsentFindings
}

type Counts = Partial<Record<ConsentMeaning | 'UNREADABLE', number>>

/** A column whose cells are counted. `isGuessed` is true for one that could contain states of subscriptions, by its name. */
interface CountedColumn {
  readonly index: number
  readonly column: Column
  readonly isGuessed: boolean
  readonly counts: Counts
  /** Meanings of cells that were read before: most files have a few different ones. */
  readonly read: Map<string, ConsentMeaning | undefined>
}

const maxRemembered = 100

/**
 * Counts what the columns about consent say. A column that is not mapped and is named as a status is about consent if all of
 * its cells are states of subscriptions. If it has a custom field of its name and one of its cells is a refusal, it is doubtful.
 */
export function newConsentTally(columns: readonly Column[]): ConsentTally {
  const counted = columns.flatMap((column, index): CountedColumn[] => {
    const isGuessed = !column.isMapped && column.reading === undefined && isStateName(column.column)
    if (column.reading === undefined && !isGuessed) return []
    const state = isGuessed ? { ...column, reading: 'STATUS' as const } : column
    return [{ index, column: state, isGuessed, counts: {}, read: new Map() }]
  })
  const rows = { all: 0, left: 0, leftByGuess: 0 }
  return {
    add: (given) => {
      if (counted.length === 0) return
      for (const row of given) {
        const { cells, notes } = partsOf(row)
        if (notes.hasSurplus || notes.isTooLong) continue
        const left = counted.filter((each) => hasLeft(count(each, cells[each.index] ?? '')) && isEmailConsent(each))
        rows.all += 1
        if (left.length > 0) rows.leftByGuess += 1
        if (left.some(({ isGuessed }) => !isGuessed)) rows.left += 1
      }
    },
    result: (final) => {
      const found = counted.filter((each) => !each.isGuessed || isStatus(each))
      const left = found.some(({ isGuessed }) => isGuessed) ? rows.leftByGuess : rows.left
      const byIndex = new Map(found.map((each) => [each.index, each]))
      return {
        columns: final.map((column, index) => withFindings(column, byIndex.get(index))),
        haveAllLeft: rows.all > 0 && left === rows.all,
      }
    },
  }
}

function count({ column, counts, read }: CountedColumn, cell: string): ConsentMeaning | undefined {
  let meaning = read.get(cell)
  if (meaning === undefined && !read.has(cell)) {
    meaning = readConsent(column, unescaped(cell))
    if (read.size < maxRemembered && cell.length <= 100) read.set(cell, meaning)
  }
  // Empty cells are not counted, because they say nothing.
  if (cell.trim() !== '') counts[meaning ?? 'UNREADABLE'] = (counts[meaning ?? 'UNREADABLE'] ?? 0) + 1
  return meaning
}

const isEmailConsent = ({ column, isGuessed }: CountedColumn) => isGuessed || column.field === 'EMAIL_MARKETING'

const isStatus = ({ counts }: CountedColumn) => counts.UNREADABLE === undefined && Object.keys(counts).length > 0

function withFindings(column: Column, found: CountedColumn | undefined): Column {
  if (!found) return column
  const { isGuessed, counts } = found
  if (!isGuessed) return { ...column, meanings: counts }
  if (column.field === 'IGNORED')
    return { ...column, field: 'EMAIL_MARKETING', reading: 'STATUS', isGuessed: true, meanings: counts }
  const hasRefusals = counts.UNSUBSCRIBED ?? counts.BOUNCED ?? counts.COMPLAINED
  return hasRefusals === undefined ? column : { ...column, isDoubtful: true }
}
