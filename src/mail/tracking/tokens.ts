import { createHmac, timingSafeEqual } from 'node:crypto'
import { largestId } from '../../kernel/ids.ts'

/** Which message a token is about. */
export interface Mark {
  readonly accountId: number
  readonly recipientId: bigint
}

/** A link in a message. */
export interface LinkMark extends Mark {
  readonly linkId: number
}

/** Says what a token is for, so that one cannot stand for another; the version leaves room for other forms. */
const version = 1
const kinds = { open: 1, click: 2, unsubscribe: 3, message: 4, view: 5 } as const
type Kind = keyof typeof kinds

/** 96 bits of a signature: nobody guesses one, and the links stay short. */
const signatureBytes = 12
const largestBigId = 9_223_372_036_854_775_807n

/** What stands in an open pixel's address. */
export const openToken = (secret: string, mark: Mark) =>
  write(secret, 'open', [BigInt(mark.accountId), mark.recipientId])
export const readOpenToken = (secret: string, token: string) => markOf(read(secret, 'open', token))

/** What stands behind an unsubscribe link. Recipient 0 is nobody: a sample's link, which does nothing. */
export const unsubscribeToken = (secret: string, mark: Mark) =>
  write(secret, 'unsubscribe', [BigInt(mark.accountId), mark.recipientId])
export const readUnsubscribeToken = (secret: string, token: string) => markOf(read(secret, 'unsubscribe', token))

/** What stands behind the link to a message as a page. Recipient 0 is nobody: a sample's link, which shows nothing. */
export const viewToken = (secret: string, mark: Mark) =>
  write(secret, 'view', [BigInt(mark.accountId), mark.recipientId])
export const readViewToken = (secret: string, token: string) => markOf(read(secret, 'view', token))

/** What stands in the address of a link that is counted. */
export const clickToken = (secret: string, mark: LinkMark) =>
  write(secret, 'click', [BigInt(mark.accountId), mark.recipientId, BigInt(mark.linkId)])

/** The link of a token, or undefined where we did not make it. */
export function readClickToken(secret: string, token: string): LinkMark | undefined {
  const [account, recipient, link] = read(secret, 'click', token) ?? []
  const mark = markOf(account === undefined || recipient === undefined ? undefined : [account, recipient])
  return mark && link !== undefined && link <= largestId ? { ...mark, linkId: Number(link) } : undefined
}

/**
 * The part before the @ of a Message-ID and of a return address: the same for the same message, of letters that no relay
 * changes whatever it does to their case.
 */
export function messageToken(secret: string, { accountId, recipientId }: Mark): string {
  const name = `${accountId.toString(36)}.${recipientId.toString(36)}`
  return `${name}.${signature(secret, Buffer.from(`${kinds.message} ${name}`)).toString('hex')}`
}

const messagePattern = /([1-9a-z][0-9a-z]{0,5})\.([1-9a-z][0-9a-z]{0,12})\.([0-9a-f]{24})(?![0-9a-z])/g

/** How many things that look like a message of ours are tried in one text: a report speaks of one, a few times. */
const mostTried = 100

/** What looks like messages of ours in a text of any length, apart from which nothing of it names one. */
export function messageTokensIn(text: string): string {
  const tried = text.toLowerCase().matchAll(messagePattern).take(mostTried)
  return [...tried.map(([token]) => token)].join(' ')
}

/** The first message of ours that a text speaks of: a Message-ID, a return address, a whole report. */
export function findMessage(secret: string, text: string): Mark | undefined {
  const tried = text.toLowerCase().matchAll(messagePattern).take(mostTried)
  for (const [token, account = '', recipient = ''] of tried) {
    const mark = markOf([base36(account), base36(recipient)])
    if (mark && messageToken(secret, mark) === token) return mark
  }
  return undefined
}

function base36(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n)
}

function markOf(numbers: readonly bigint[] | undefined): Mark | undefined {
  const [account = 0n, recipient = 0n] = numbers ?? []
  if (account < 1n || account > BigInt(largestId) || recipient > largestBigId) return undefined
  return { accountId: Number(account), recipientId: recipient }
}

/** Kind, numbers of seven bits a byte, and the signature of both. */
function write(secret: string, kind: Kind, numbers: readonly bigint[]): string {
  const bytes = [(version << 4) | kinds[kind]]
  for (let number of numbers) {
    for (; number > 127n; number >>= 7n) bytes.push(Number(number & 127n) | 128)
    bytes.push(Number(number))
  }
  const body = Buffer.from(bytes)
  return Buffer.concat([body, signature(secret, body)]).toString('base64url')
}

/** The numbers of a token, or undefined where it is not, to the letter, one that `write` makes. */
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
