/** What a server that is measured tells its parent: where it listens, and when asked, how much processor time it took. */
export type Told = { port: number } | { cpuMilliseconds: number }

/** Tells the parent that the server listens, and from then on answers each of its messages with the time used so far. */
export function tellUsage(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMilliseconds: (user + system) / 1_000 } satisfies Told)
  })
  // A server whose parent is gone has nobody left to answer.
  process.on('disconnect', () => process.exit())
  process.send?.({ port } satisfies Told)
}
