import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** How large a request may be. */
export const limits = {
  bodyBytes: 1_048_576,
  /** Of the document's text. Long content belongs into variables. */
  characters: 262_144,
  tokens: 2_000,
  /** Levels of fields, in one operation. */
  depth: 16,
  aliases: 30,
  /** Fields and fragments of one operation, counted each time that a fragment is used. */
  selections: 5_000,
  /** Fragments inside of fragments, with no field between them. */
  fragmentNesting: 100,
  /** Pairs of fields with one response name at one place: each pair must be compared to see whether they can be merged. */
  pairs: 10_000,
  /** Values in variables, those of lists and objects included. */
  variableValues: 50_000,
  variableDepth: 64,
  /** Errors that are reported of a document or its variables. */
  errors: 10,
  /** Errors that are reported of an execution. */
  executionErrors: 50,
  /** Characters of an error's message. */
  messageLength: 500,
  /** The points that one document may be estimated to cost. */
  points: 50_000,
  /** The rows that one execution may load. */
  rows: 20_000,
  /** The fields that the lists of one execution may show. */
  fields: 150_000,
} as const

/** graphql-js's own words for a document with too many tokens. */
export const tooManyTokens = /more tha[tn] \d+ tokens/

/** How many fields and fragments the largest operation of a document has. */
export interface DocumentSize {
  readonly selections: number
}

/**
 * Measures a document before it is validated: validation compares fields pair by pair, and a fragment can be used so often
 * that no time is enough. Throws QUERY_TOO_COMPLEX if an operation is too deep, too wide or too large.
 */
export function measureDocument(document: DocumentNode): DocumentSize {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition)
  }
  // All operations share one allowance of selections and pairs, for all of them are validated.
  const total = { selections: 0, pairs: 0 }
  let largest = 0
  for (const operation of operations) {
    const before = total.selections
    new Measurement(fragments, total).level([operation.selectionSet], 1)
    largest = Math.max(largest, total.selections - before)
  }
  return { selections: largest }
}

/** The measuring of one operation. Fields of one place are looked at together, as validation and execution do. */
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
      if (this.#total.pairs > limits.pairs) throw tooComplex('asks for the same fields too often')
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
        // A fragment that uses itself is refused here by its size, or by validation.
        if (fragment) {
          this.#collect(fragment.selectionSet, places, isConditional ? new Set(spread) : spread, nesting + 1)
        }
      }
    }
  }
}

function tooComplex(what: string): GraphQLError {
  return new GraphQLError(`The document ${what}.`, { extensions: { code: 'QUERY_TOO_COMPLEX' } })
}
