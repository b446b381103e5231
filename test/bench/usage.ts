/** Messages of a measured server to its parent: its URL, and its processor time on request. */
export type UsageMessage = { port: number } | { cpuMilliseconds: number }

/** Sends the URL to the parent, and responds to each of its messages with the processor time. */
export function tellUsage(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuMilliseconds: (user + system) / 1_000 } satisfies UsageMessage)
  })
  // The server ends with its parent.
  process.on('disconnect', () => process.exit())
  process.send?.({ port } satisfies UsageMessage)
}
