/** The tasks of these tests. */
export async function work({
  kind,
  text = '',
}: {
  kind: 'echo' | 'loop' | 'throw' | 'fill'
  text?: string
}): Promise<string> {
  if (kind === 'throw') throw new Error('this is what went wrong')
  while (kind === 'loop') {
    // Never ends.
  }
  const all: object[][] = []
  while (kind === 'fill') all.push(Array.from({ length: 1_000 }, (_, at) => ({ at })))
  return text
}
