import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** Limits of a request. */
export const limits = {
  bodyBytes: 1_048_576,
  /** Characters of the document. Long content belongs in variables. */
  characters: 262_144,
  tokens: 2_000,
  /** Levels of nested fields in one operation. */
  depth: 16,
  aliases: 30,
  /** Fields and fragments of all operations. A fragment counts each time that it is used. */
  selections: 5_000,
  /** Levels of fragments within fragments, with no field between them. */
  fragmentNesting: 100,
  /** Pairs of fields with the same response name in the same selection set. Validation compares each pair. */
  pairs: 10_000,
  /** Values in variables, including those in lists and objects. */
  variableValues: 50_000,
  variableDepth: 64,
  /** Errors reported for a document or its variables. */
  errors: 10,
  /** Errors reported for an execution. */
  executionErrors: 50,
  /** Characters of an error message. */
  messageLength: 500,
  /** Estimated cost of one document, in points: as many objects as rows. */
  points: 20_000,
  /** Rows that one execution can load. */
  rows: 20_000,
  /** Fields in all list elements of one result. */
  fields: 150_000,
  /** Size of the long texts that one execution reads, and of its result, in bytes. */
  bytes: 16_000_000,
} as const

/** Matches the message of graphql-js for a document with too many tokens. */
export const tooManyTokens = /more tha[tn] \d+ tokens/

/**
 * Checks the size of a document before validation. Validation compares fields pairwise, so a small document with many
 * fragment uses could take unlimited time. Throws QUERY_TOO_COMPLEX if an operation is too deep, too wide or too large.
 */
export function checkDocumentSize(document: DocumentNode): void {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  // All operations share the limits of selections and pairs, because validation reads all of them.
  const total = { selections: 0, pairs: 0 }
  for (const operation of operations) new Measurement(fragments, total).level([operation.selectionSet], 1)
}

/** Measures one operation. Merges the selection sets of fields with the same response name, as execution does. */
class Measurement {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #total: { selections: number; pairs: number }
  #aliases = 0

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, total: { selections: number; pairs: number }) {
    this.#fragments = fragments
    this.#total = total
  }

  level(sets: readonly SelectionSetNode[], depth: number): void {
    if (depth > limits.depth) throw tooComplex(`is more than ${limits.depth} levels deep`)
    const places = new Map<string, { count: number; inner: SelectionSetNode[] }>()
    const spread = new Set<string>()
    for (const set of sets) this.#collect(set, places, spread, 0)
    for (const { count, inner } of places.values()) {
      this.#total.pairs += (count * (count - 1)) / 2
      if (this.#total.pairs > limits.pairs) throw tooComplex('selects the same fields too often')
      if (inner.length > 0) this.level(inner, depth + 1)
    }
  }

  #collect(
    set: SelectionSetNode,
    places: Map<string, { count: number; inner: SelectionSetNode[] }>,
    spread: Set<string>,
    nesting: number,
  ): void {
    if (nesting > limits.fragmentNesting) throw tooComplex(`nests more than ${limits.fragmentNesting} fragments`)
    for (const selection of set.selections) {
      this.#total.selections += 1
      if (this.#total.selections > limits.selections) {
        throw tooComplex(`has more than ${limits.selections} fields and fragments`)
      }
      if (selection.kind === Kind.FIELD) {
        if (selection.alias) this.#aliases += 1
        if (this.#aliases > limits.aliases) throw tooComplex(`has more than ${limits.aliases} aliases`)
        const name = (selection.alias ?? selection.name).value
        const place = places.get(name) ?? { count: 0, inner: [] }
        places.set(name, place)
        place.count += 1
        if (selection.selectionSet) place.inner.push(selection.selectionSet)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(selection.selectionSet, places, new Set(spread), nesting + 1)
      } else if (!spread.has(selection.name.value)) {
        const isConditional = (selection.directives?.length ?? 0) > 0
        if (!isConditional) spread.add(selection.name.value)
        const fragment = this.#fragments.get(selection.name.value)
        // A fragment cycle exceeds a limit here, or fails validation.
        if (fragment) {
          this.#collect(fragment.selectionSet, places, isConditional ? new Set(spread) : spread, nesting + 1)
        }
      }
    }
  }
}

function tooComplex(fault: string): GraphQLError {
  return new GraphQLError(`The document ${fault}.`, { extensions: { code: 'QUERY_TOO_COMPLEX' } })
}
