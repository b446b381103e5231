import type { Scope } from '../../kernel/scopes.ts'

/** What the module of an event type declares about it. */
interface EventDeclaration<Data extends object = object, Kind extends string = string> {
  /** Name of the GraphQL type of its events. */
  readonly kind: Kind
  /** Scope that a key needs to receive its events. */
  readonly needs: Scope
  readonly description: string
  /**
   * Sample data. Its type is the type of the data: ids, and values that cannot be read later. The first field is the id of
   * the subject.
   */
  readonly sample: Data
}

/**
 * Declares event types that share a kind, a scope and the type of their data, each with its description. A module declares its
 * events in `events.ts`, adds them to `DeclaredEvents`, and `server/ports.ts` passes them to the event log.
 */
export function declareEvents<const Kind extends string, Data extends object, const Type extends string>(
  shared: Omit<EventDeclaration<Data, Kind>, 'description'>,
  descriptions: Readonly<Record<Type, string>>,
): Readonly<Record<Type, EventDeclaration<Data, Kind>>> {
  const declared = Object.entries<string>(descriptions).map(([type, description]) => [type, { ...shared, description }])
  return Object.fromEntries(declared)
}
