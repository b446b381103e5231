import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Actions of a relay instead of a reply: nothing, or close the connection. */
export const silent = Symbol('silent')
export const drop = Symbol('drop')

/** Replies byte by byte, without end. */
export const trickle = Symbol('trickle')
/** Stops reading. */
export const deaf = Symbol('deaf')

export type Act = string | typeof silent | typeof drop | typeof trickle | typeof deaf | undefined

/** Action of a relay at each step. Undefined: it accepts. */
export interface Manners {
  greeting?: () => Act
  ehlo?: () => Act
  starttls?: () => Act
  mail?: (address: string) => Act
  rcpt?: (address: string) => Act
  data?: (address: string) => Act
  /** After each piece of the content, before its end was seen. */
  content?: (address: string) => Act
  /** After the final dot. */
  end?: (address: string) => Act
}

/** A mail server with configurable failures. */
export interface Relay {
  readonly url: string
  /** Recipients of the messages that it accepted. */
  readonly taken: string[]
  /** Address of each RCPT TO. */
  readonly asked: string[]
  /** Maximum number of connections that were open at the same time. */
  readonly most: () => number
  /** Number of connections that are open. */
  readonly open: () => number
  /** Closes all connections, after sending a line if one is given. */
  endAll(words?: string): void
}

const ended = '\r\n.\r\n'

/** Starts a relay on `port`, or on a free one. It stops with the test. `manners` can be changed at any time. */
export async function newRelay(manners: Manners = {}, port = 0): Promise<Relay> {
  const taken: string[] = []
  const asked: string[] = []
  const sockets = new Set<Socket>()
  let most = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    most = Math.max(most, sockets.size)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let input = ''
    let address = ''
    let isContent = false
    /** Whether a sender was accepted and its message neither ended nor was reset. */
    let hasSender = false
    const act = (what: Act, usual: string) => {
      if (what === drop) socket.destroy()
      else if (what === deaf) socket.pause()
      else if (what === trickle) {
        const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write('2')), 50)
      } else if (what !== silent) socket.write(`${what ?? usual}\r\n`)
    }
    const command = (line: string) => {
      const [, verb = '', rest = ''] = /^(\w+)(?:[^<]*<([^>]*)>)?/.exec(line) ?? []
      if (verb === 'EHLO') return act(manners.ehlo?.(), manners.starttls ? '250-here\r\n250 STARTTLS' : '250 here')
      if (verb === 'STARTTLS') return act(manners.starttls?.(), '220 go on')
      if (verb === 'MAIL') {
        if (hasSender) return act('503 5.5.1 nested MAIL command', '')
        const answer = manners.mail?.(rest)
        hasSender = answer === undefined || String(answer).startsWith('2')
        return act(answer, '250 ok')
      }
      if (verb === 'RSET') hasSender = false
      if (verb === 'RCPT') {
        address = rest
        asked.push(rest)
        return act(manners.rcpt?.(rest), '250 ok')
      }
      if (verb !== 'DATA') return act(undefined, '250 ok')
      const answer = manners.data?.(address)
      isContent = answer === undefined
      return act(answer, '354 go on')
    }
    const content = () => {
      const at = `\r\n${input}`.indexOf(ended)
      const cut = manners.content?.(address)
      if (cut !== undefined) return act(cut, '')
      if (at < 0) return
      input = input.slice(at + ended.length - 2)
      isContent = false
      hasSender = false
      const answer = manners.end?.(address)
      if (answer === undefined || String(answer).startsWith('2')) taken.push(address)
      act(answer, '250 accepted')
    }
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      input += chunk
      while (input !== '' && !socket.destroyed) {
        if (isContent) {
          content()
          if (isContent) return
          continue
        }
        const line = input.indexOf('\r\n')
        if (line < 0) return
        const text = input.slice(0, line)
        input = input.slice(line + 2)
        command(text)
      }
    })
    act(manners.greeting?.(), '220 here')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const endAll = (words = '') => {
    for (const socket of sockets) socket.end(words && `${words}\r\n`)
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, taken, asked, most: () => most, open: () => sockets.size, endAll }
}
