import { invalid } from '../../kernel/errors.ts'
import { type EventType, eventTypes } from '../log/types.ts'

/** Every event, whatever its type. */
export const everything = '*'

const names = Object.keys(eventTypes) as EventType[]
const prefixes = new Set(names.map(prefixOf))

/** Whether this is an event's name, the beginning of some (`contact.*`), or all of them (`*`). */
export function isPattern(text: string): boolean {
  return text === everything || Object.hasOwn(eventTypes, text) || prefixes.has(text)
}

/**
 * What a webhook wants to be told of, each once and in a settled order. Fails with VALIDATION_ERROR naming what is no
 * event.
 */
export function readPatterns(given: readonly string[]): string[] {
  const wrong = given.filter((pattern) => !isPattern(pattern))
  if (given.length === 0) throw invalid({ events: ['must name at least one event, or *'] })
  if (wrong.length > 0) {
    const shown = wrong.slice(0, 5).map((pattern) => JSON.stringify(pattern.slice(0, 100)))
    throw invalid({
      events: [`must be names of events, such as contact.created, contact.* or *; not ${shown.join(', ')}`],
    })
  }
  return given.includes(everything) ? [everything] : [...new Set(given)].sort()
}

/** Each event with the patterns that it answers to, and what a key must reach to be told of it. */
export const matching: readonly { type: EventType; patterns: readonly string[]; needs: string }[] = names.map(
  (type) => ({
    type,
    patterns: patternsOf(type),
    needs: eventTypes[type].needs,
  }),
)

/** What a webhook may have asked for that is told of such events. */
export function patternsOf(type: EventType): string[] {
  return [everything, prefixOf(type), type]
}

function prefixOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}
