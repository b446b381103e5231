import { createServer, type Socket } from 'node:net'

// A mail server in a process of its own that counts messages. It does as little as possible, because the sender is
// measured. `fork(sink.ts, [delay])` sends its port, and replies to each message of its parent.

/** What a sink has received. */
export interface SinkReport {
  taken: number
  /** Number of addresses. */
  distinct: number
  /** Number of addresses with more than one message, and number of messages with another Message-ID than the first. */
  twice: number
  differing: number
  /** Time of the first and the last message, by the clock of the machine. */
  first: number
  last: number
  /** Maximum number of concurrent messages that were received completely and not yet acknowledged. */
  most: number
  sample: string
}

/** Requests of the parent: report, report and reset, times of each address, or change of the delay. */
export type SinkRequest = { do: 'tell' | 'reset' | 'times' } | { do: 'delay'; milliseconds: number }

let delay = Number(process.argv[2] ?? 0)
let known = new Map<string, { messageId: string; times: number[] }>()
let [taken, differing, open, most] = [0, 0, 0, 0]
let sample = ''

const server = createServer((socket) => converse(socket))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit())
process.on('message', (asked: SinkRequest) => {
  if (asked.do === 'delay') delay = asked.milliseconds
  process.send?.(asked.do === 'times' ? [...known].map(([to, { times }]) => [to, times]) : counted())
  if (asked.do !== 'reset') return
  known = new Map()
  ;[taken, differing, most, sample] = [0, 0, 0, '']
})

function counted(): SinkReport {
  const all = [...known.values()]
  const times = all.map((each) => each.times)
  return {
    ...{ taken, differing, most, sample },
    distinct: known.size,
    twice: times.filter(({ length }) => length > 1).length,
    first: times.reduce((least, [time = 0]) => Math.min(least, time), Number.POSITIVE_INFINITY),
    last: times.reduce((latest, each) => Math.max(latest, each.at(-1) ?? 0), 0),
  }
}

function converse(socket: Socket): void {
  let [left, to, isData] = ['', '', false]
  const say = (line: string) => socket.writable && socket.write(`${line}\r\n`)
  socket.setEncoding('latin1').setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('data', (chunk: string) => {
    left += chunk
    for (;;) {
      const end = isData ? left.indexOf('\r\n.\r\n') : left.indexOf('\r\n')
      if (end < 0) return
      const text = left.slice(0, end)
      left = left.slice(end + (isData ? 5 : 2))
      if (isData) {
        isData = false
        open += 1
        most = Math.max(most, open)
        const answer = () => {
          open -= 1
          take(to, text)
          say('250 2.0.0 taken')
        }
        if (delay > 0) setTimeout(answer, delay)
        else answer()
        continue
      }
      const verb = text.slice(0, 4).toUpperCase()
      if (verb === 'RCPT') to = /<([^>]*)>/.exec(text)?.[1] ?? ''
      isData = verb === 'DATA'
      if (verb === 'EHLO') say('250-sink\r\n250 8BITMIME')
      else say(isData ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 2.1.0 so be it')
    }
  })
  say('220 sink')
}

function take(address: string, message: string): void {
  taken += 1
  sample ||= message
  const to = copyOf(address)
  const messageId = copyOf(/^message-id: (.*)$/im.exec(message)?.[1]?.trim() ?? '')
  const before = known.get(to)
  if (!before) known.set(to, { messageId, times: [Date.now()] })
  else {
    before.times.push(Date.now())
    if (before.messageId !== messageId) differing += 1
  }
}

/** Returns a copy of a part of a message. The part itself would keep the whole message in memory. */
function copyOf(part: string): string {
  return Buffer.from(part).toString()
}
