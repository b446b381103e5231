import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a local port on which nothing listens. It is below the ports that systems give to sockets without a requested
 * port, so that no other process gets it before or between two uses.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const server = createServer()
    const isFree = await once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        return false
      },
    )
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
