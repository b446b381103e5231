/**
 * Waits for all promises and returns their values. If some fail, it throws the error of the first of them in the list, so that
 * the error does not depend on which one fails first in time.
 */
export async function inOrder<Values extends readonly unknown[]>(
  promises: {
    readonly [Place in keyof Values]: Promise<Values[Place]>
  },
): Promise<Values> {
  const results = await Promise.allSettled(promises)
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  }) as unknown as Values
}
