import { eventNames } from '../generated/event-names.documents.ts'

/** Patterns that can be chosen for a webhook: all events, those of a resource, and single types. */
export const eventPatterns: readonly string[] = [
  '*',
  ...new Set(eventNames.map((name) => `${name.split('.')[0]}.*`)),
  ...eventNames,
]

/** Returns the enum value of an event type: `contact.created` becomes `CONTACT_CREATED`. */
export function eventTypeOf(name: (typeof eventNames)[number]): string {
  return name.replace('.', '_').toUpperCase()
}
