/** Cleanup functions of the running test file. Test files share modules, so each file must clean up what it opened. */
const ends: (() => unknown)[] = []

/** Registers a cleanup function, which runs at the end of the test file, after its own hooks. */
export function atEnd(work: () => unknown): void {
  ends.push(work)
}

/** Runs all cleanup functions, the last one first. Throws the collected errors at the end. */
export async function endAll(): Promise<void> {
  const errors: unknown[] = []
  for (const end of ends.splice(0).reverse()) {
    try {
      await end()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some cleanup functions failed.')
}
