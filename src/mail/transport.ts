import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import SMTPPool from 'nodemailer/lib/smtp-pool'
import { type Outcome, outcomeOf, type SmtpError } from './outcome.ts'
import type { Parcel } from './parcel.ts'

/** A way on which letters leave. */
export interface Transport {
  /** For logs and metrics: no user, no password. */
  readonly name: string
  /** Hands a letter over and waits for the answer; never rejects. */
  hand(parcel: Parcel): Promise<Outcome>
  /** Ends idle connections, and with `force` all of them. */
  close(force?: boolean): void
}

/** How long a server may take to be reached, to greet, and to answer anything, in milliseconds; the URL may say otherwise. */
const patience = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000, dnsTimeout: 10_000 }

/** Letters by SMTP, over as many connections as `size` says, each used for many of them. */
export function smtp(url: string, size: number): Transport {
  const { hostname, port, protocol } = new URL(url)
  const options = {
    url,
    pool: true,
    maxConnections: size,
    maxMessages: Number.POSITIVE_INFINITY,
    maxRequeues: 0,
  } as const
  const pool = new SMTPPool({ ...options, ...patience })
  // Whoever sends a letter hears of its failure; what befalls an idle connection concerns nobody.
  pool.on('error', () => undefined)
  return {
    name: `${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`,
    hand: (parcel) =>
      new Promise((resolve) => {
        let body: Readable | undefined
        const message = mailOf(parcel, (stream) => {
          body = stream
        })
        pool.send(message as never, (error, info) => {
          if (!error) resolve({ verdict: 'accepted', answer: info?.response ?? '' })
          else
            resolve(
              outcomeOf(error as SmtpError, body?.readableEnded ? 'all' : body?.readableDidRead ? 'a part' : 'nothing'),
            )
        })
      }),
    close: (force = false) => pool.close({ force }),
  }
}

/** A parcel as Nodemailer's pool takes a message; `onStream` is told of the stream that it is read from. */
function mailOf({ messageId, from, to, raw }: Parcel, onStream: (stream: Readable) => void) {
  const createReadStream = () => {
    const stream = new Readable({
      read() {
        this.push(raw)
        this.push(null)
      },
    })
    onStream(stream)
    return stream
  }
  const message = {
    createReadStream,
    getEnvelope: () => ({ from, to }),
    messageId: () => messageId,
    getHeader: () => messageId,
  }
  return { data: {}, message }
}

/** Letters as files, named after their Message-ID: what there is while no mail server is configured. */
export function files(folder: string): Transport {
  return {
    name: 'files',
    hand: async ({ messageId, raw }) => {
      try {
        await mkdir(folder, { recursive: true })
        const file = join(folder, `${messageId.replace(/[^\w.@+-]/g, '')}.eml`)
        // Complete or not at all: whoever lists the folder reads no half of a message.
        await writeFile(`${file}.part`, raw)
        await rename(`${file}.part`, file)
        return { verdict: 'accepted', answer: `250 written to ${file}` }
      } catch (error) {
        return { verdict: 'unreachable', answer: (error as Error).message }
      }
    },
    close: () => undefined,
  }
}
