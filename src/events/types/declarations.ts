import type { KeyScope } from '../../kernel/scopes.ts'

/** What the module of an event type declares about it. */
interface EventDeclaration<Data extends object = object, Kind extends string = string> {
  /** Name of the GraphQL type of its events. */
  readonly kind: Kind
  /** Scope, or full access, that a key needs to receive its events. */
  readonly needs: KeyScope
  readonly description: string
  /** True for the creation, update and deletion of an object that clients edit. See `webhooks/event-patterns.ts`. */
  readonly isEdit?: boolean
  /**
   * Sample data. Its type is the type of the data: ids, and values that cannot be read later. The first field is the id of
   * the subject. Null is the sample of an id that may be absent.
   */
  readonly sample: Data
  /** The figure that counts these events, if there is one. */
  readonly counts?: CountedFigure | undefined
}

/** A figure that counts the events of a type: of the account, and of the object whose id the event contains. */
interface CountedFigure {
  readonly figure: string
  /** The object that has the figure. Without one, only the account has it. */
  readonly of?: { readonly type: string; readonly field: string }
  /** False if the account does not have the figure. */
  readonly isOfAccount?: false
  /** What an event adds to the figure. Defaults to 1. */
  readonly adds?: -1
}

/**
 * Declares event types that share a kind, a scope and the type of their data, each with its description. `counts` names the
 * figures that count the events. A module declares its events in `events.ts`, adds them to `DeclaredEvents`, and
 * `server/ports.ts` passes them to the event log.
 */
export function declareEvents<const Kind extends string, Data extends object, const Type extends string>(
  shared: Omit<EventDeclaration<Data, Kind>, 'description' | 'counts'>,
  descriptions: Readonly<Record<Type, string>>,
  counts?: Readonly<Partial<Record<NoInfer<Type>, CountedFigure>>>,
): Readonly<Record<Type, EventDeclaration<Data, Kind>>> {
  const declared = Object.entries<string>(descriptions).map(([type, description]) => [
    type,
    { ...shared, description, counts: counts?.[type as Type] },
  ])
  return Object.fromEntries(declared)
}
