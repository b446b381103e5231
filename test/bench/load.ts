import { connect, type Socket } from 'node:net'

/** A request that is repeated over persistent connections. */
export interface Load {
  /** The ports of the servers. The connections are divided among them. */
  ports: readonly number[]
  /** The bytes of the request. Each `#` in its body is replaced by a random digit, so that repeated writes differ. */
  request: string
  connections: number
  milliseconds: number
}

/** Result of a load: the duration of every request, in milliseconds. */
export interface Outcome {
  perSecond: number
  times: number[]
}

/** As the main program of a process this file runs one load at a time for its parent. */
if (process.send && import.meta.main) {
  process.on('message', (load: Load) => {
    apply(load).then(
      (outcome) => process.send?.(outcome),
      (error: Error) => process.send?.({ error: error.message }),
    )
  })
}

/**
 * Keeps each connection busy with one request at a time. Parses as little of HTTP as possible, so that the load does
 * not take processor time from the server. Throws for the first response that is not 200.
 */
export async function apply({ ports, request, connections, milliseconds }: Load): Promise<Outcome> {
  const next = newRequests(request)
  const times: number[] = []
  const start = performance.now()
  const until = start + milliseconds
  const one = async (_item: unknown, index: number) => {
    const line = await open(ports[index % ports.length] as number)
    try {
      for (let sent = performance.now(); sent < until; ) {
        await line.ask(next())
        const now = performance.now()
        times.push(now - sent)
        sent = now
      }
    } finally {
      line.close()
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  return { perSecond: (times.length * 1000) / (performance.now() - start), times }
}

/** Creates a function that returns the bytes of the next request. */
function newRequests(request: string): () => Buffer {
  const bytes = Buffer.from(request)
  const places: number[] = []
  for (let at = bytes.indexOf(endOfHead); at >= 0; ) {
    at = bytes.indexOf('#', at + 1)
    if (at >= 0) places.push(at)
  }
  if (places.length === 0) return () => bytes
  return () => {
    const next = Buffer.from(bytes)
    for (const place of places) next[place] = 48 + Math.floor(Math.random() * 10)
    return next
  }
}

/** Sends one request and returns the body of the response. */
export async function send(port: number, request: string): Promise<string> {
  const line = await open(port)
  try {
    const answer = Buffer.concat(await line.ask(newRequests(request)())).toString()
    return answer.slice(answer.indexOf(endOfHead) + endOfHead.length)
  } finally {
    line.close()
  }
}

const endOfHead = '\r\n\r\n'

interface Line {
  /** Sends a request, waits for the last byte of the response and returns its chunks. */
  ask(request: Buffer): Promise<Buffer[]>
  close(): void
}

async function open(port: number): Promise<Line> {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let pieces: Buffer[] = []
  let left: number | undefined
  let answered: { resolve(pieces: Buffer[]): void; reject(error: Error): void } | undefined
  const fail = (error: Error) => answered?.reject(error)
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server hung up.')))
  socket.on('data', (piece) => {
    pieces.push(piece)
    if (left === undefined) {
      const text = Buffer.concat(pieces).toString('latin1')
      const end = text.indexOf(endOfHead)
      if (end < 0) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1]
      if (!text.startsWith('HTTP/1.1 200 ') || length === undefined) return fail(new Error(`It answered ${text}`))
      left = end + endOfHead.length + Number(length) - text.length
    } else {
      left -= piece.length
    }
    if (left > 0) return
    const answer = pieces
    pieces = []
    left = undefined
    answered?.resolve(answer)
  })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject }
        socket.write(request)
      }),
    close: () => {
      answered = undefined
      socket.destroy()
    },
  }
}
