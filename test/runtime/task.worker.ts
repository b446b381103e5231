/** What tests let a thread do. */
export async function work({
  kind,
  text = '',
}: {
  kind: 'echo' | 'loop' | 'throw' | 'fill'
  text?: string
}): Promise<string> {
  if (kind === 'throw') throw new Error('this is what went wrong')
  while (kind === 'loop') {
    // It never ends.
  }
  const all: object[][] = []
  while (kind === 'fill') all.push(Array.from({ length: 1_000 }, (_, at) => ({ at })))
  return text
}
