/** The cost of a field: its own points, and how often its selection counts. */
export interface FieldCost {
  readonly field?: number | undefined
  /** Estimated number of elements of a list. */
  readonly multiplier?: number | undefined
  /** Maximum number of rows of a connection's page. Multiplies the fields of the connection that are `isOfPage`. */
  readonly page?: number | undefined
  /** Whether the selection counts once for each row of the page. */
  readonly isOfPage?: boolean | undefined
}
