import { newPorts } from '../../kernel/ports.ts'
import type { webhookEvents } from './webhook-events.ts'

type WebhookEvents = typeof webhookEvents

/** The declaration of every event type. Each module adds its own in `events.ts`. */
export interface DeclaredEvents extends WebhookEvents {}

export type EventType = keyof DeclaredEvents

/** The kinds of events: the names of their GraphQL types. */
export type EventKind = DeclaredEvents[EventType]['kind']

/** The data of each event type. */
export type EventData = { readonly [Type in EventType]: DeclaredEvents[Type]['sample'] }

/**
 * The data of internal signals for subscriptions of their own. Webhooks and the subscription `events` do not deliver them.
 * Each module adds its own in `events.ts`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: modules add members
export interface SignalData {}

/** The data of every event type and signal. */
export type Announcements = EventData & SignalData

/** The declarations of all modules. */
export const ports = newPorts<{ readonly types: DeclaredEvents }>('events')

/** Returns all event types. */
export function eventTypes(): EventType[] {
  return Object.keys(ports.types) as EventType[]
}

/** Returns whether this version declares an event type. Another version may have stored others. */
export function isEventType(type: string): type is EventType {
  return Object.hasOwn(ports.types, type)
}

/** Returns the declaration of an event type. */
export function declarationOf(type: EventType) {
  return ports.types[type]
}
