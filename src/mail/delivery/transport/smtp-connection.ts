import type { Socket } from 'node:net'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import type { SmtpError } from './outcome.ts'
import { newReplyReader, type Reply } from './smtp-reply.ts'

/** Options of Nodemailer for connections to a mail server. */
export type SmtpOptions = SMTPPool['options']

/** A connection to a mail server. After it was opened, commands are written and replies are read in pairs. */
export interface SmtpConnection {
  /** Resolves after the greeting, TLS and the login. Rejects with an SmtpError. */
  readonly opened: Promise<void>
  /** Whether another message can be sent: the connection was not lost, and the server sent nothing without being asked. */
  isUsable(): boolean
  /** Returns whether the server supports an extension. */
  supports(extension: 'PIPELINING' | 'SMTPUTF8'): boolean
  /** Maximum number of bytes that `write` takes without waiting. */
  readonly bufferSize: number
  /** Writes pieces in one packet if they fit. */
  write(...pieces: (string | Buffer)[]): void
  /** Writes a piece and resolves when the system has taken all of it. Never resolves if the connection is lost before. */
  writeAll(piece: Buffer): Promise<void>
  /** Returns the next reply. Rejects with an SmtpError if the connection is lost or was closed. */
  reply(): Promise<Reply>
  /** Closes the connection. A message in flight fails with the error. */
  close(error?: SmtpError): void
}

/** The error of a connection that ended without a reply. */
export const lostCode = 'ECONNECTION'
const lost: SmtpError = { code: lostCode, message: 'Connection closed unexpectedly' }

/**
 * Opens a connection to a mail server. Nodemailer resolves the name, connects, negotiates TLS and logs in. Then the socket is
 * ours: Nodemailer sends each message as a chain of streams and in five packets, and does not report the phase of it.
 */
export function connectSmtp(options: SmtpOptions): SmtpConnection {
  const session = new SMTPConnection(options)
  const replies: Reply[] = []
  let socket: Socket | undefined
  let extensions: ReadonlySet<string> = new Set()
  let failure: SmtpError | undefined
  let waiting: { resolve(reply: Reply): void; reject(error: SmtpError): void } | undefined

  const fail = (error: SmtpError) => {
    failure ??= error
    session.close()
    waiting?.reject(failure)
    waiting = undefined
  }
  const reader = newReplyReader(
    (reply) => {
      if (waiting) waiting.resolve(reply)
      else replies.push(reply)
      waiting = undefined
    },
    () => fail({ message: 'The reply of the server is too long' }),
  )
  const opened = new Promise<void>((resolve, reject) => {
    const end = (error: SmtpError) => {
      fail(error)
      reject(error)
    }
    session.on('error', end)
    session.on('end', () => end(failure ?? lost))
    const takeSocket = () => {
      socket = session._socket as Socket
      socket.removeAllListeners('data')
      socket.on('data', reader.read)
      // Before Nodemailer notices, because the last reply may be without a line break.
      socket.prependListener('close', () => {
        reader.end()
        fail(lost)
      })
      resolve()
    }
    session.connect((error) => {
      if (error) return end(error)
      extensions = new Set((session.lastServerResponse || '').toUpperCase().match(/(?<=^250[ -])[\w-]+/gm))
      const { auth, authMethod = '', forceAuth } = options
      if (!auth || !(session.allowsAuth || forceAuth)) return takeSocket()
      const { user = '', pass = '' } = auth
      session.login({ type: 'LOGIN', user, credentials: { user, pass }, method: authMethod }, (refusal) =>
        refusal ? end(refusal) : takeSocket(),
      )
    })
  })
  // The failure of an idle connection has no consequence.
  opened.catch(() => undefined)

  return {
    opened,
    isUsable: () => failure === undefined && replies.length === 0,
    supports: (extension) => extensions.has(extension),
    get bufferSize() {
      return socket?.writableHighWaterMark ?? 0
    },
    write: (...pieces) => {
      socket?.cork()
      for (const piece of pieces) socket?.write(piece)
      socket?.uncork()
    },
    writeAll: (piece) => new Promise((resolve) => socket?.write(piece, (error) => error || resolve())),
    reply: () => {
      const next = replies.shift()
      if (next) return Promise.resolve(next)
      if (failure) return Promise.reject(failure)
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject }
      })
    },
    close: (error = lost) => fail(error),
  }
}
