declare module 'pg/lib/utils.js' {
  /** Returns a value as the text that pg sends for a parameter. */
  export function prepareValue(value: unknown): string | Buffer | null
}
