import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { newDatabase } from '../support/database.ts'
import { temporaryFolder } from './process.ts'

/** Starts and closes a server, and returns what shows whether its memory was collected. */
async function closedServer(databaseUrl: string): Promise<WeakRef<object>> {
  const config = readConfig({
    PORT: '0',
    DATA_DIR: await temporaryFolder(),
    SECRET: 'a secret that only tests know',
    DATABASE_URL: databaseUrl,
  })
  const app = await startApp(config, pino({ level: 'silent' }))
  await fetch(`${app.address.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ __typename }"}',
  })
  await app.close()
  return new WeakRef(app.database.db)
}

it('the memory of a closed server is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  const databaseUrl = await newDatabase()
  const closed = [await closedServer(databaseUrl), await closedServer(databaseUrl), await closedServer(databaseUrl)]
  // The last one may still be on the stack of a timer.
  const isKept = () => {
    collectGarbage()
    return closed.slice(0, -1).map((each) => each.deref() !== undefined)
  }
  await expect.poll(isKept, { interval: 500 }).toEqual([false, false])
})
