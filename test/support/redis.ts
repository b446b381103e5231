import { createServer, type Socket } from 'node:net'
import { atEnd } from './ends.ts'

/**
 * Starts a fake Redis server on a free port with the commands that the server uses: counters, presence and channels. Tests
 * use it because no Redis is embedded. Returns its port. Adds the words of each command to `received`.
 */
export async function newRedis(received: string[] = []): Promise<number> {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  const listeners = new Map<string, Set<Socket>>()
  const response = (socket: Socket, [name = '', ...args]: string[]): string => {
    switch (name.toUpperCase()) {
      case 'PING':
        return '+PONG\r\n'
      case 'EVAL': {
        const [script = '', , key = '', value = ''] = args
        if (script.includes('ZADD')) return `:${seen.add(value).size}\r\n`
        counts.set(key, (counts.get(key) ?? 0) + Number(value))
        return `*2\r\n:${counts.get(key)}\r\n:60000\r\n`
      }
      case 'ZREM':
        return `:${Number(seen.delete(args[1] ?? ''))}\r\n`
      case 'SUBSCRIBE':
        return args.map((channel) => subscribed(socket, channel)).join('')
      case 'PUBLISH': {
        const [channel = '', message = ''] = args
        const all = listeners.get(channel) ?? new Set()
        for (const each of all) each.write(`>3\r\n${['message', channel, message].map(text).join('')}`)
        return `:${all.size}\r\n`
      }
      case 'HELLO':
        return `%1\r\n${text('server')}${text('redis')}`
      default:
        return '+OK\r\n'
    }
  }
  const subscribed = (socket: Socket, channel: string) => {
    listeners.set(channel, (listeners.get(channel) ?? new Set()).add(socket))
    return `>3\r\n${text('subscribe')}${text(channel)}:1\r\n`
  }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let sent = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      sent += chunk
      for (let read = commandIn(sent); read; read = commandIn(sent)) {
        sent = sent.slice(read.length)
        received.push(...read.words)
        socket.write(response(socket, read.words))
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      for (const each of listeners.values()) each.delete(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as { port: number }).port
}

function text(value: string): string {
  return `$${Buffer.byteLength(value)}\r\n${value}\r\n`
}

/** Parses the first complete command of the received text. Returns it with its length. */
function commandIn(sent: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(sent)
  if (!head) return undefined
  const words: string[] = []
  let at = head[0].length
  for (let count = Number(head[1]); count > 0; count -= 1) {
    const size = /^\$(\d+)\r\n/.exec(sent.slice(at, at + 20))
    if (!size) return undefined
    const begin = at + size[0].length
    const end = begin + Number(size[1])
    if (sent.length < end + 2) return undefined
    words.push(sent.slice(begin, end))
    at = end + 2
  }
  return { words, length: at }
}
