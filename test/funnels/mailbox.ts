import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { until } from '../runtime/process.ts'
import type { World } from '../support/world.ts'

/** Returns functions that read the messages which a server wrote to files of its folder. */
export function mailboxOf(folder: string) {
  const files = async () => {
    const names = (await readdir(join(folder, 'mail')).catch(() => [])).filter((name) => name.endsWith('.eml'))
    return Promise.all(names.map((name) => readFile(join(folder, 'mail', name))))
  }
  /** Returns the messages to an address, the oldest first. */
  const messagesTo = async (address: string) => {
    const received = await Promise.all((await files()).map((source) => simpleParser(source)))
    return received
      .filter(({ to }) => [to].flat()[0]?.text === address)
      .sort((one, other) => Number(one.date) - Number(other.date))
  }
  /** Waits for a message to an address. Returns the first one and the link in it that confirms. */
  const findEmail = async (address: string) => {
    await until(async () => (await messagesTo(address)).length > 0)
    const [received] = await messagesTo(address)
    return { received, link: confirmPath(received?.text) }
  }
  return { messagesTo, findEmail }
}

/** Returns the path of the link in a message that confirms. */
export function confirmPath(text: string | undefined): string {
  return /http\S+(\/c\/[^\s\])]+)/.exec(text ?? '')?.[1] ?? ''
}

/** Waits until all jobs of an account are done. */
export async function idle(world: World): Promise<void> {
  await until(async () => {
    const [left] = await world.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM graphile_worker._private_jobs WHERE payload->>'accountId' = $1`,
      [String(world.accountId)],
    )
    return left?.n === 0
  })
}
