import { createHash, sign } from 'node:crypto'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import type { OutgoingMessage } from '../../outgoing-message.ts'

/** Headers that are signed if the message has them (RFC 6376, 5.4.1). */
const signedHeaders = [
  ...[
    'from',
    'to',
    'subject',
    'date',
    'message-id',
    'reply-to',
    'mime-version',
    'content-type',
    'content-transfer-encoding',
  ],
  ...['list-unsubscribe', 'list-unsubscribe-post', 'sender', 'cc', 'list-id'],
]

/**
 * Headers that are named once more than the message has them, so that the signature breaks if another one is added (RFC 6376,
 * 8.15): mail programs show, and act on, the one that was added.
 */
const overSigned = new Set(['from', 'to', 'subject', 'date', 'reply-to', 'list-unsubscribe'])

/**
 * Returns the line of the DKIM-Signature header of a message: RSA with SHA-256, headers and body in the relaxed form. The message
 * ends its lines with CRLF.
 */
export function dkimSignature(
  raw: Buffer,
  { domainName, keySelector, privateKey }: NonNullable<OutgoingMessage['dkim']>,
): string {
  const end = raw.indexOf('\r\n\r\n')
  const headers = relaxedHeaders(raw.subarray(0, end).toString('latin1'))
  const present = signedHeaders.filter((name) => headers.has(name))
  const names = signedHeaders.flatMap((name) => [
    ...(headers.has(name) ? [name] : []),
    ...(overSigned.has(name) ? [name] : []),
  ])
  const bodyHash = createHash('sha256')
    .update(relaxedBody(raw.subarray(end + 4).toString('latin1')), 'latin1')
    .digest('base64')
  const unsigned = foldLines(
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${domainName}; s=${keySelector}; h=${names.join(':')}; bh=${bodyHash}; b=`,
    76,
  )
  const signed = [...present.map((name) => headers.get(name)), ...relaxedHeaders(unsigned).values()].join('\r\n')
  const signature = sign('sha256', Buffer.from(signed, 'latin1'), privateKey).toString('base64')
  return `${unsigned}${(signature.match(/.{1,72}/g) ?? []).map((line) => `\r\n ${line}`).join('')}`
}

/**
 * Returns the headers in the relaxed form (RFC 6376, 3.4.2) by name in lower case. Of several, the last one counts, as for a
 * verifier.
 */
function relaxedHeaders(text: string): Map<string, string> {
  const lines = text.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim().toLowerCase()
      return [
        name,
        `${name}:${line
          .slice(colon + 1)
          .replace(/[ \t]+/g, ' ')
          .trim()}`,
      ]
    }),
  )
}

/** Returns a body in the relaxed form (RFC 6376, 3.4.4). */
function relaxedBody(text: string): string {
  const lines = text.replace(/[ \t]+(?=\r\n|$)/g, '').replace(/[ \t]+/g, ' ')
  let end = lines.length
  while (lines.endsWith('\r\n', end)) end -= 2
  return end === 0 ? '' : `${lines.slice(0, end)}\r\n`
}
