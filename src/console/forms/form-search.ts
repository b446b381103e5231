/** What the address of a form contains. */
export interface FormSearch {
  readonly tab?: 'build' | 'results'
}

/** Reads the address of a form. */
export function readFormSearch({ tab }: Record<string, unknown>): FormSearch {
  return tab === 'build' || tab === 'results' ? { tab } : {}
}
