import { createHmac, timingSafeEqual } from 'node:crypto'
import { largestBigId, largestId } from '../../kernel/values/ids.ts'

/** The message of a token. */
export interface MessageRef {
  readonly accountId: number
  readonly recipientId: bigint
}

/** A tracked link in a message. */
export interface LinkRef extends MessageRef {
  readonly linkId: number
}

/** Purpose of a token, so that one cannot be used as another. The version allows other formats later. */
const version = 1
const kinds = { open: 1, click: 2, unsubscribe: 3, message: 4, view: 5 } as const
type Kind = keyof typeof kinds

/** 96 bits of a signature cannot be guessed, and keep links short. */
const signatureBytes = 12

/** Token in the URL of the open pixel. */
export const openToken = (secret: string, ref: MessageRef) =>
  write(secret, 'open', [BigInt(ref.accountId), ref.recipientId])
export const readOpenToken = (secret: string, token: string) => refOf(read(secret, 'open', token))

/** Token in an unsubscribe link. Recipient 0 is that of test messages, whose links have no effect. */
export const unsubscribeToken = (secret: string, ref: MessageRef) =>
  write(secret, 'unsubscribe', [BigInt(ref.accountId), ref.recipientId])
export const readUnsubscribeToken = (secret: string, token: string) => refOf(read(secret, 'unsubscribe', token))

/** Token in the link to a message as a page. Recipient 0 is that of test messages. */
export const viewToken = (secret: string, ref: MessageRef) =>
  write(secret, 'view', [BigInt(ref.accountId), ref.recipientId])
export const readViewToken = (secret: string, token: string) => refOf(read(secret, 'view', token))

/** Token in the URL of a tracked link. */
export const clickToken = (secret: string, ref: LinkRef) =>
  write(secret, 'click', [BigInt(ref.accountId), ref.recipientId, BigInt(ref.linkId)])

/** Returns the link of a token. Undefined if the signature is not valid. */
export function readClickToken(secret: string, token: string): LinkRef | undefined {
  const [account, recipient, link] = read(secret, 'click', token) ?? []
  const ref = refOf(account === undefined || recipient === undefined ? undefined : [account, recipient])
  return ref && link !== undefined && link <= largestId ? { ...ref, linkId: Number(link) } : undefined
}

/**
 * Returns the local part of the Message-ID and of the return address of a message. Always the same for a message. Case does
 * not matter, because some relays change it.
 */
export function messageToken(secret: string, { accountId, recipientId }: MessageRef): string {
  const name = `${accountId.toString(36)}.${recipientId.toString(36)}`
  return `${name}.${signature(secret, Buffer.from(`${kinds.message} ${name}`)).toString('hex')}`
}

const messagePattern = /([1-9a-z][0-9a-z]{0,5})\.([1-9a-z][0-9a-z]{0,12})\.([0-9a-f]{24})(?![0-9a-z])/g

/** Maximum number of candidates that are checked in one text. A report contains the token of one message a few times. */
const maxCandidates = 100

/** Returns the candidates in a text of any length, so that the rest of it need not be kept. */
export function messageTokensIn(text: string): string {
  const candidates = text.toLowerCase().matchAll(messagePattern).take(maxCandidates)
  return [...candidates.map(([token]) => token)].join(' ')
}

/** Finds the first message token with a valid signature in a text: a Message-ID, a return address, or a whole report. */
export function findMessage(secret: string, text: string): MessageRef | undefined {
  const candidates = text.toLowerCase().matchAll(messagePattern).take(maxCandidates)
  for (const [token, account = '', recipient = ''] of candidates) {
    const ref = refOf([base36(account), base36(recipient)])
    if (ref && messageToken(secret, ref) === token) return ref
  }
  return undefined
}

function base36(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
}

function refOf(numbers: readonly bigint[] | undefined): MessageRef | undefined {
  const [account = 0n, recipient = 0n] = numbers ?? []
  if (account < 1n || account > BigInt(largestId) || recipient > largestBigId) return undefined
  return { accountId: Number(account), recipientId: recipient }
}

/** Returns a token: its kind, its numbers with 7 bits per byte, and the signature of both. */
function write(secret: string, kind: Kind, numbers: readonly bigint[]): string {
  const bytes = [(version << 4) | kinds[kind]]
  for (let number of numbers) {
    for (; number > 127n; number >>= 7n) bytes.push(Number(number & 127n) | 128)
    bytes.push(Number(number))
  }
  const body = Buffer.from(bytes)
  return Buffer.concat([body, signature(secret, body)]).toString('base64url')
}

/** Returns the numbers of a token. Undefined unless it is exactly what `write` returns for them. */
function read(secret: string, kind: Kind, token: string): bigint[] | undefined {
  if (!/^[\w-]{17,60}$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const body = bytes.subarray(0, -signatureBytes)
  if (body[0] !== ((version << 4) | kinds[kind]) || bytes.toString('base64url') !== token) return undefined
  if (!timingSafeEqual(signature(secret, body), bytes.subarray(-signatureBytes))) return undefined
  const numbers: bigint[] = []
  let number = 0n
  let shift = 0n
  for (const byte of body.subarray(1)) {
    number |= BigInt(byte & 127) << shift
    shift += 7n
    if (byte > 127) continue
    numbers.push(number)
    number = 0n
    shift = 0n
  }
  return numbers
}

function signature(secret: string, body: Buffer): Buffer {
  return createHmac('sha256', `campanile mail links ${secret}`).update(body).digest().subarray(0, signatureBytes)
}
