import { invalid } from '../../kernel/errors.ts'
import { declarationOf, type EventType, eventTypes } from '../log/types.ts'

/** The pattern of all event types. */
export const allEvents = '*'

/** Returns true for an event type, a prefix pattern (`contact.*`), and `*`. */
function isPattern(text: string): boolean {
  return eventTypes().some((type) => patternsOf(type).includes(text))
}

/**
 * Validates the event types or patterns of a webhook, and returns them sorted and without duplicates; undefined if there are
 * none. **Throws** VALIDATION_ERROR for an empty list, and with the unknown patterns.
 */
export function readPatterns(given: {
  events: readonly EventType[] | undefined
  eventPatterns: readonly string[] | undefined
}): string[] | undefined {
  const patterns = given.events ?? given.eventPatterns
  if (!patterns) return undefined
  const field = given.events ? 'events' : 'eventPatterns'
  const unknown = patterns.filter((pattern) => !isPattern(pattern))
  if (patterns.length === 0) throw invalid({ [field]: ['must contain at least one event type, or *'] }, 'REQUIRED')
  if (unknown.length > 0) {
    const quoted = unknown.slice(0, 5).map((pattern) => JSON.stringify(pattern.slice(0, 100)))
    throw invalid({
      [field]: [
        `must contain only event types or patterns, such as contact.created, contact.* or *; unknown: ${quoted.join(', ')}`,
      ],
    })
  }
  return patterns.includes(allEvents) ? [allEvents] : [...new Set(patterns)].sort()
}

/** Returns each event type with the patterns that match it and the scope that it requires. */
export function patternTable(): { type: EventType; patterns: string[]; needs: string }[] {
  return eventTypes().map((type) => ({ type, patterns: patternsOf(type), needs: declarationOf(type).needs }))
}

/** Returns the patterns that match an event type. */
export function patternsOf(type: EventType): string[] {
  return [allEvents, prefixOf(type), type]
}

function prefixOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}
