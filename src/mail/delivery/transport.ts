import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Dialogue, type Limits, newDialogue } from './dialogue.ts'
import type { Outcome } from './outcome.ts'
import type { Parcel } from './parcel.ts'

/** A way on which letters leave. */
export interface Transport {
  /** For logs and metrics: no user, no password. */
  readonly name: string
  /**
   * Hands a letter over and waits for the answer; never rejects. `tries` is how often it was tried before in vain: a
   * server gets more time with each.
   */
  hand(parcel: Parcel, tries: number): Promise<Outcome>
  /** Ends idle connections, and with `force` all of them. */
  close(force?: boolean): void
}

/** How long a server may take to be reached, to greet, and to answer anything, in milliseconds; the URL may say otherwise. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000, dnsTimeout: 10_000 }

/** The most that connecting, greeting, login and MAIL FROM may take together, in milliseconds. */
const longestSession = 30_000

/**
 * How long a recipient may take that was tried so often before, in milliseconds: shortly at first, because a connection
 * waits for it, and longer each time, because some servers do need long. Giving up is safe, nothing was sent by then.
 */
const recipientPatience = [3_000, 9_000, 27_000]

/** What a URL cannot change: the phase of a dialogue is read from the log, and messages are retried by the queue. */
const reserved = ['logger', 'debug', 'transactionLog', 'maxRequeues', 'maxConnections']

/** Letters by SMTP, over as many connections as `size` says, each used for many of them. */
export function smtp(url: string, size: number): Transport {
  const target = new URL(url)
  const { hostname, port, protocol } = target
  const answer = Number(target.searchParams.get('socketTimeout')) || patience.socketTimeout
  for (const name of reserved) target.searchParams.delete(name)
  const options = { url: target.href, maxMessages: Number.POSITIVE_INFINITY, socketCloseTimeout: 0, ...patience }
  const memory = { carefulUntil: 0 }
  const dialogues: Dialogue[] = []
  const idle: Dialogue[] = []
  const waiting: ((dialogue: Dialogue) => void)[] = []
  const take = (): Dialogue | Promise<Dialogue> => {
    const found = idle.pop()
    if (found) return found
    if (dialogues.length >= size) return new Promise((resolve) => waiting.push(resolve))
    const made = newDialogue(options, memory)
    dialogues.push(made)
    return made
  }
  const limitsOf = (tries: number): Limits => ({
    session: longestSession,
    recipient: Math.min(recipientPatience[tries] ?? answer, answer),
    content: 2 * answer,
    answer,
  })
  return {
    name: `${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`,
    hand: async (parcel, tries) => {
      const dialogue = await take()
      try {
        return await dialogue.send(parcel, limitsOf(tries))
      } finally {
        const next = waiting.shift()
        if (next) next(dialogue)
        else idle.push(dialogue)
      }
    },
    close: (force = false) => {
      for (const dialogue of dialogues) dialogue.close(force)
    },
  }
}

/**
 * Messages as files, named after their Message-ID: what there is while no mail server is configured. Only the user of this
 * process can read them.
 */
export function files(folder: string): Transport {
  // A folder of an earlier version was open to other users of the machine.
  let closed: Promise<void> | undefined
  return {
    name: 'files',
    hand: async ({ messageId, raw }) => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        closed ??= chmod(folder, 0o700)
        await closed
        const file = join(folder, `${messageId.replace(/[^\w.@+-]/g, '')}.eml`)
        // Complete or not at all: whoever lists the folder reads no half of a message.
        await writeFile(`${file}.part`, raw, { mode: 0o600 })
        await rename(`${file}.part`, file)
        return { verdict: 'accepted', answer: `250 written to ${file}` }
      } catch (error) {
        return { verdict: 'unreachable', answer: (error as Error).message }
      }
    },
    close: () => undefined,
  }
}
