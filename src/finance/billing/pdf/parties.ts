/** The seller at the time of issue. */
export interface Seller {
  readonly companyName: string
  readonly address: string
  readonly vatNumber: string
  readonly footer: string
}

/** The buyer at the time of issue. */
export interface Buyer {
  readonly email: string
  readonly name: string
  readonly companyName: string
  readonly address: string
  readonly vatNumber: string
}
