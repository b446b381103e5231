import type { Duplex } from 'node:stream'
import pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'

/** How COPY writes rows. */
export interface CopyFormat {
  /** Options of COPY … TO STDOUT. */
  readonly options: string
  /** What each row ends with. */
  readonly end: string
}

/**
 * Returns a statement with its values as literals, because COPY takes no parameters. A literal has the text that a parameter
 * would have, and no type until PostgreSQL finds one, as a parameter.
 */
export function withLiterals(strings: readonly string[], values: readonly unknown[]): string {
  return strings.reduce((text, part, place) => `${text}${literalOf(values[place - 1])}${part}`)
}

function literalOf(value: unknown): string {
  const text = prepareValue(value)
  if (text === null) return 'NULL'
  if (typeof text !== 'string') throw new Error('Bytes cannot be a literal.')
  // It would end the statement.
  if (text.includes('\0')) throw new Error('A literal cannot contain the character NUL.')
  return pg.escapeLiteral(text)
}

/** The rows of a query as COPY … TO STDOUT writes them. */
export interface Copied {
  /** The text of all rows, in parts of any size. */
  readonly parts: readonly Buffer[]
  readonly bytes: number
  readonly rows: number
  /** The beginning of the last row. */
  readonly last: string
}

/** Number of bytes of the last row that are returned. */
const lastBytes = 40

/** Type and length of a message of PostgreSQL, before its content. */
const headerBytes = 5

const copyData = 'd'.charCodeAt(0)

/**
 * Runs a query with COPY … TO STDOUT. Each row ends with `end` instead of a line feed, in at most 6 bytes.
 *
 * PostgreSQL sends each row in a message. They are taken from what the connection receives before pg reads it, and moved together
 * in the same memory: pg would create several objects for each, and the memory of copies makes V8 collect garbage, which takes
 * longer than all else.
 */
export function copyRows(client: pg.ClientBase, query: string, { options, end }: CopyFormat): Promise<Copied> {
  const ending = Buffer.from(end)
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
  const [toPg] = stream.listeners('data') as [(bytes: Buffer) => void]
  const parts: Buffer[] = []
  let [bytes, rows, last] = [0, 0, '']
  /** Takes the rows of complete messages, and passes other messages to pg. Returns the position after them. */
  const take = (received: Buffer): number => {
    let [at, from, size, lastAt] = [0, 0, 0, 0]
    const keep = () => {
      if (size === from) return
      parts.push(received.subarray(from, size))
      bytes += size - from
      last = received.toString('latin1', lastAt, Math.min(size, lastAt + lastBytes))
      from = size
    }
    for (;;) {
      const length = messageLength(received, at)
      if (length === undefined || at + length > received.length) break
      if (received[at] === copyData) {
        lastAt = size
        received.copyWithin(size, at + headerBytes, at + length - 1)
        size += length - headerBytes - 1
        for (const byte of ending) received[size++] = byte
        rows += 1
      } else {
        keep()
        toPg(received.subarray(at, at + length))
      }
      at += length
    }
    keep()
    return at
  }
  /** The beginning of a message whose end was not received yet. */
  let begun: Buffer = nothing
  let isEnded = false
  const onData = (received: Buffer) => {
    let rest = received
    if (begun.length > 0) {
      const length = messageLength(Buffer.concat([begun, received.subarray(0, headerBytes)]), 0)
      const missing = length === undefined ? received.length : Math.min(length - begun.length, received.length)
      begun = Buffer.concat([begun, received.subarray(0, missing)])
      if (take(begun) === 0) return
      rest = received.subarray(missing)
    }
    begun = rest.subarray(take(rest))
    if (isEnded && begun.length > 0) toPg(begun)
  }
  return new Promise<Copied>((resolve, reject) => {
    const done = (error?: Error | null) => {
      isEnded = true
      stream.off('data', onData).on('data', toPg)
      if (error) reject(error)
      else resolve({ parts, bytes, rows, last })
    }
    stream.off('data', toPg).on('data', onData)
    // Connections that send without waiting accept no queries of other classes, for which this could read what belongs to another
    // one.
    client.query(new pg.Query(`COPY (${query}) TO STDOUT (${options})`) as never, done as never)
  })
}

const nothing = Buffer.alloc(0)

/** Returns the length of the message at a position with its header. Undefined if the header is incomplete. */
function messageLength(bytes: Buffer, at: number): number | undefined {
  return at + headerBytes > bytes.length ? undefined : 1 + bytes.readUInt32BE(at + 1)
}
