export { emit, emitAll } from './outbox.ts'
export type { EventData, EventType } from './types.ts'
