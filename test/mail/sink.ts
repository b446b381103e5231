import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A message that a sink received. */
export interface SinkMessage {
  readonly to: string
  readonly from: string
  readonly raw: string
  readonly at: number
}

/** Behaviour of a sink, which otherwise accepts everything immediately. */
export interface Behaviour {
  /** Time per message in milliseconds. */
  delay?: number
  /** Return a reply such as `550 5.1.1 no such user` to refuse a sender, a recipient or a message. */
  onFrom?: (address: string) => string | undefined
  onTo?: (address: string) => string | undefined | Promise<string | undefined>
  onData?: (message: SinkMessage) => string | undefined
  /** Called with a complete message before the reply. */
  beforeAnswer?: (message: SinkMessage, session: SMTPServerSession) => Promise<void> | void
  keepRaw?: boolean
  login?: (user: string, password: string) => boolean
}

/** A mail server that stores what it receives. */
export interface Sink {
  readonly url: string
  readonly taken: SinkMessage[]
  /** Maximum number of messages that were in flight at the same time. */
  readonly most: () => number
  readonly server: SMTPServer
  /** Forgets what it received, and behaves like this from now on. */
  reset(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Starts a sink on `port`, or on a free one. It stops with the test. */
export async function newSink(behaviour: Behaviour = {}, port = 0): Promise<Sink> {
  const sink = await startSink(behaviour, port)
  onTestFinished(sink.close)
  return sink
}

/** Starts a sink that the caller must close. */
export async function startSink(initial: Behaviour = {}, port = 0): Promise<Sink> {
  let behaviour = initial
  const taken: SinkMessage[] = []
  let open = 0
  let most = 0
  const fault = (answer: string | undefined) =>
    answer === undefined
      ? null
      : Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) })
  const server = new SMTPServer({
    disabledCommands: behaviour.login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: behaviour.login === undefined,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      behaviour.login?.(username ?? '', password ?? '')
        ? done(null, { user: username })
        : done(Object.assign(new Error('5.7.8 no'), { responseCode: 535 })),
    onMailFrom: ({ address }, _session, done) => {
      open += 1
      most = Math.max(most, open)
      const error = fault(behaviour.onFrom?.(address))
      if (error) open -= 1
      done(error)
    },
    onRcptTo: async ({ address }, _session, done) => {
      const error = fault(await behaviour.onTo?.(address))
      if (error) open -= 1
      done(error)
    },
    onData: (stream: SMTPServerDataStream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope
        const raw = behaviour.keepRaw === false ? '' : Buffer.concat(chunks).toString()
        const from = mailFrom === false ? '' : mailFrom.address
        const message = { to: rcptTo[0]?.address ?? '', from, raw, at: performance.now() }
        if (behaviour.delay) await new Promise((next) => setTimeout(next, behaviour.delay))
        await behaviour.beforeAnswer?.(message, session)
        const error = fault(behaviour.onData?.(message))
        if (!error) taken.push(message)
        open -= 1
        done(error)
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(port, '127.0.0.1')
  const net = server.server as unknown as Server
  await once(net, 'listening')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  const reset = (next: Behaviour) => {
    behaviour = next
    taken.length = 0
    most = 0
  }
  const url = `smtp://127.0.0.1:${(net.address() as AddressInfo).port}`
  return { url, taken, most: () => most, server, reset, close }
}
