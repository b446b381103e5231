import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { atEnd } from './ends.ts'

/** A connection to PostgreSQL that clients use in turn, with the names of the statements that are prepared on it. */
interface Backend {
  readonly stream: Socket
  readonly prepared: Set<string>
  /** For each Parse that was sent, whether the client waits for its response. */
  readonly parses: boolean[]
  receive: (type: string, frame: Buffer) => void
}

/**
 * Starts a pooler in transaction mode that keeps prepared statements, as PgBouncer does from 1.21: it prepares a statement on a
 * connection when a client that prepared it elsewhere binds it. It has as much of the protocol as node-postgres uses. Returns the
 * URL of the database through it.
 */
export async function startPreparingPooler(databaseUrl: string, poolSize: number): Promise<string> {
  const free = await Promise.all(Array.from({ length: poolSize }, () => openBackend(databaseUrl)))
  const waiting: ((backend: Backend) => void)[] = []
  const release = (backend: Backend) => {
    const next = waiting.shift()
    if (next) next(backend)
    // In turn, so that a client seldom gets the connection that it had before.
    else free.push(backend)
  }
  const acquire = async () => free.shift() ?? new Promise<Backend>((resolve) => waiting.push(resolve))
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', () => {
      socket.write(Buffer.concat([frameOf('R', int32(0)), frameOf('K', int32(1), int32(1)), ready]))
      serve(socket, acquire, release)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(async () => {
    for (const each of [...sockets, ...free.map(({ stream }) => stream)]) each.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(server.address() as AddressInfo).port}` }).href
}

function serve(socket: Socket, acquire: () => Promise<Backend>, release: (backend: Backend) => void): void {
  /** What this client prepared: the rest of its Parse message by name. */
  const statements = new Map<string, Buffer>()
  let backend: Backend | undefined
  let unanswered = 0
  let work = Promise.resolve()
  const receive: Backend['receive'] = (type, frame) => {
    if (!backend || type === '3' || (type === '1' && backend.parses.shift() === false)) return
    socket.write(frame)
    if (type !== 'Z') return
    unanswered -= 1
    if (unanswered > 0 || frame.at(-1) !== 'I'.charCodeAt(0)) return
    backend.parses.length = 0
    release(backend)
    backend = undefined
  }
  const prepare = (to: Backend, text: Buffer, isForClient: boolean) => {
    const name = globalName(text)
    if (to.prepared.has(name)) to.stream.write(frameOf('C', Buffer.from(`S${name}\0`)))
    to.prepared.add(name)
    to.parses.push(isForClient)
    to.stream.write(frameOf('P', Buffer.from(`${name}\0`), text))
  }
  const forward = async (type: string, frame: Buffer) => {
    if (type === 'X') return
    backend ??= await acquire()
    backend.receive = receive
    if (type === 'S' || type === 'Q') unanswered += 1
    const body = frame.subarray(5)
    const [first, second] = [body.indexOf(0) + 1, body.indexOf(0, body.indexOf(0) + 1) + 1]
    const name = type === 'P' ? body.toString('utf8', 0, first - 1) : body.toString('utf8', first, second - 1)
    if (type === 'P' && name !== '') {
      statements.set(name, body.subarray(first))
      prepare(backend, body.subarray(first), true)
    } else if (type === 'B' && name !== '') {
      const text = statements.get(name) as Buffer
      if (!backend.prepared.has(globalName(text))) prepare(backend, text, false)
      const renamed = Buffer.from(`${globalName(text)}\0`)
      backend.stream.write(frameOf('B', body.subarray(0, first), renamed, body.subarray(second)))
    } else {
      if (type === 'P') backend.parses.push(true)
      backend.stream.write(frame)
    }
  }
  onFrames(socket, (type, frame) => {
    work = work.then(() => forward(type, frame))
  })
}

async function openBackend(databaseUrl: string): Promise<Backend> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  for (const name of ['data', 'error', 'close', 'end']) stream.removeAllListeners(name)
  stream.on('error', () => stream.destroy())
  const backend: Backend = { stream, prepared: new Set(), parses: [], receive: () => undefined }
  onFrames(stream, (type, frame) => backend.receive(type, frame))
  return backend
}

/** Calls `take` for each message. All have a type and a length. */
function onFrames(socket: Socket, take: (type: string, frame: Buffer) => void): void {
  let received: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 5 && received.length > received.readInt32BE(1)) {
      const end = received.readInt32BE(1) + 1
      take(String.fromCharCode(received[0] as number), received.subarray(0, end))
      received = received.subarray(end)
    }
  })
}

function globalName(text: Buffer): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function frameOf(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const ready = frameOf('Z', Buffer.from('I'))
