// Acquires a share in the embedded database of a folder, prints its URL, and releases the share on SIGTERM.
import { EmbeddedError, startEmbedded } from '../../src/db/embedded/embedded.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'

try {
  const embedded = await startEmbedded(process.argv[2] ?? '', newLog('warn'))
  const alive = setInterval(() => {}, 60_000)
  process.on('SIGTERM', async () => {
    await embedded.stop()
    clearInterval(alive)
  })
  process.stdout.write(`${embedded.url}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof EmbeddedError ? error.message : String(error)}\n`)
  process.exitCode = 1
}
