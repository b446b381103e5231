/** What the test file that runs has to end, the last first. Modules are shared by files, so what they hold is ended here. */
const ends: (() => unknown)[] = []

/** Has something done when the test file is over, after its own hooks. */
export function atEnd(work: () => unknown): void {
  ends.push(work)
}

/** Does it all, though some of it fails; then says what failed. */
export async function endAll(): Promise<void> {
  const faults: unknown[] = []
  for (const end of ends.splice(0).reverse()) {
    try {
      await end()
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'Something could not be ended.')
}
