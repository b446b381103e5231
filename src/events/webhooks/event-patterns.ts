import { invalid } from '../../kernel/errors.ts'
import { declarationOf, type EventType, eventTypes } from '../types/event-types.ts'

/** The pattern of all event types except edits. */
export const allEvents = '*'

let typesByPattern: Map<string, EventType[]> | undefined

/** Returns the event types that a pattern matches: an event type, a prefix pattern (`contact.*`), or `*`. */
function typesOf(pattern: string): EventType[] {
  // Each type compares itself with all others, which is too much work for each pattern of a request.
  typesByPattern ??= mapOfPatterns()
  return typesByPattern.get(pattern) ?? []
}

function mapOfPatterns(): Map<string, EventType[]> {
  const found = new Map<string, EventType[]>()
  for (const type of eventTypes()) {
    for (const pattern of patternsOf(type)) found.set(pattern, [...(found.get(pattern) ?? []), type])
  }
  return found
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
  const unknown = patterns.filter((pattern) => typesOf(pattern).length === 0)
  if (patterns.length === 0) throw invalid({ [field]: ['must contain at least one event type, or *'] }, 'REQUIRED')
  if (unknown.length > 0) {
    const quoted = unknown.slice(0, 5).map((pattern) => JSON.stringify(pattern.slice(0, 100)))
    throw invalid({
      [field]: [
        `must contain only event types or patterns, such as contact.created, contact.* or *; unknown: ${quoted.join(', ')}`,
      ],
    })
  }
  return [...new Set(patterns.includes(allEvents) ? withoutMatched(patterns) : patterns)].sort()
}

/** Removes the patterns whose types `*` matches too. */
function withoutMatched(patterns: readonly string[]): string[] {
  const matched = new Set(typesOf(allEvents))
  return [allEvents, ...patterns.filter((pattern) => typesOf(pattern).some((type) => !matched.has(type)))]
}

/** Returns each event type with the patterns that match it and the scope that it requires. */
export function patternTable(): { type: EventType; patterns: string[]; needs: string }[] {
  return eventTypes().map((type) => ({ type, patterns: patternsOf(type), needs: declarationOf(type).needs }))
}

/**
 * Returns the patterns that match an event type. An edit is matched by its name, and by its prefix unless other events share it
 * (`campaign.*`): webhooks with `*` or such a prefix keep the types that they had before edits had events.
 */
export function patternsOf(type: EventType): string[] {
  if (!isEdit(type)) return [allEvents, prefixOf(type), type]
  const isPrefixShared = eventTypes().some((other) => !isEdit(other) && prefixOf(other) === prefixOf(type))
  return isPrefixShared ? [type] : [prefixOf(type), type]
}

function isEdit(type: EventType): boolean {
  return declarationOf(type).isEdit === true
}

function prefixOf(type: string): string {
  return `${type.slice(0, type.indexOf('.'))}.*`
}
