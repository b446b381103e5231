import { parseBoolean } from './booleans.ts'
import type { Column } from './columns.ts'
import { plainName } from './consent-names.ts'
import { type ConsentMeaning, plainWords, readState } from './consent-words.ts'

/** What yes and no mean in a column of each reading. */
const answers = {
  CONSENT: { yes: 'GRANTED', no: 'REFUSED' },
  INVERTED: { yes: 'REFUSED', no: 'GRANTED' },
  REFUSAL: { yes: 'UNSUBSCRIBED', no: 'NONE' },
  BOUNCE: { yes: 'BOUNCED', no: 'NONE' },
} as const

/**
 * Returns what a cell of a column about consent says: by the values of its mapping, or else by the words of other systems, yes
 * and no. In a column of refusals or bounces, any other text is a reason or a time, so that it refuses. Undefined if the cell
 * cannot be read.
 */
export function readConsent({ reading = 'CONSENT', values }: Column, cell: string): ConsentMeaning | undefined {
  if (plainName(cell) === '') return 'NONE'
  const mapped = values && Object.hasOwn(values, plainWords(cell)) ? values[plainWords(cell)] : undefined
  const state = mapped ?? readState(cell, reading !== 'STATUS')
  if (state !== undefined || reading === 'STATUS') return state
  const answer = parseBoolean(cell)
  if (answer !== undefined) return answers[reading][answer ? 'yes' : 'no']
  if (reading !== 'REFUSAL' && reading !== 'BOUNCE') return undefined
  // Zeros are an empty time or number.
  return /[\p{L}1-9]/u.test(cell) ? answers[reading].yes : 'NONE'
}
