/** What a process provides for finance. */
export interface FinanceServices {
  /** Folder of fonts for characters in documents that the built-in fonts lack. */
  readonly fontsFolder?: string | undefined
}

declare module '../db/context.ts' {
  interface Services {
    readonly finance: FinanceServices
  }
}
