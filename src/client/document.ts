import { SubscriptionError } from './errors.ts'

/** A parsed document, as graphql-tag, gql.tada and GraphQL Code Generator return it. */
export interface ParsedDocument {
  readonly kind: string
  readonly definitions: readonly unknown[]
  readonly loc?: { readonly source: { readonly body: string } } | undefined
}

/** A document as an object that contains its text, such as `TypedDocumentString` of GraphQL Code Generator. */
export interface TextDocument {
  readonly length: number
  toString(): string
}

/** A document of which only the text is known. The type of its events is `unknown` unless the caller passes it. */
export type UntypedDocument = string | (ParsedDocument & { readonly __apiType?: never })

/** A document with the types of its result and its variables: `TypedDocumentNode`, `TypedDocumentString` or that of gql.tada. */
export type TypedDocument<Result, Variables> = (ParsedDocument | TextDocument) & {
  readonly __apiType?: ((variables: Variables) => Result) | undefined
}

/** The selection of the root field in the result of a subscription. */
export type EventOf<Result> = NonNullable<Result[Exclude<keyof Result, '__typename'>]>

/** The option `variables`. It is required if the document has a required variable. The client sets `after` itself. */
export type VariablesOption<Variables> =
  Record<never, never> extends Omit<Variables, 'after'>
    ? { variables?: Omit<Variables, 'after'> }
    : { variables: Omit<Variables, 'after'> }

/** Prints a parsed document: `print` of the package `graphql`. */
export type Print = (document: never) => string

/** Whether a text subscribes to a live list, such as `contactsChanged`. Without a cursor, its first element is the list. */
export function isLiveList(text: string): boolean {
  return /{\s*(\w+\s*:\s*)?\w+sChanged\b/.test(text)
}

/**
 * Returns the text of a document that can be resumed.
 *
 * **Throws** NO_TEXT if it was parsed without its text and `print` is not passed, and NOT_RESUMABLE if it does not pass `$after`:
 * each new connection would lose the events in between.
 */
export function textOf(document: string | ParsedDocument | TextDocument, print?: Print): string {
  const text =
    typeof document === 'object' && 'definitions' in document
      ? (print?.(document as never) ?? document.loc?.source.body)
      : String(document)
  if (text === undefined) {
    throw new SubscriptionError('NO_TEXT', 'The document has no text: pass `print` of the package `graphql`.')
  }
  if (/\$after\s*:\s*String\b/.test(text) && /\bafter\s*:\s*\$after\b/.test(text)) return text
  throw new SubscriptionError(
    'NOT_RESUMABLE',
    'The document must declare `$after: String` and pass it to its root field, as in `subscription ($after: String) { events(after: $after) { cursor } }`.',
  )
}
