/** How many elements a list has for the estimate, as in the directive `@listSize`. */
interface ListSize {
  /** Number of elements without a slicing argument: what a large list of an ordinary account has, not the maximum. */
  readonly assumedSize: number
  /** Arguments that say how many elements: a number, or a list of as many. The largest one counts. */
  readonly slicingArguments?: readonly string[]
  /** Fields of a connection that have as many elements. Without them, the field itself is the list. */
  readonly sizedFields?: readonly string[]
}

/** The cost of a field, from which a client can compute what an operation is estimated at. */
export interface FieldCost {
  /** Points of the field, of a list for each element. Defaults to 1 for objects and to 0 for other values. */
  readonly weight?: number
  readonly size?: ListSize
}
