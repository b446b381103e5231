import { simpleParser } from 'mailparser'
import { messageTokensIn } from '../tracking/tokens.ts'
import type { Report } from './bounces.ts'

/** How many reports one message holds, and how long the words of one are. */
const mostReports = 1_000
const longestWords = 2_000

/**
 * Reads a delivery status notification (RFC 3464) or a feedback report (RFC 5965), as a mail server sends them back; empty
 * for any other message. Throws for what is no message at all.
 */
export async function dsnReports(given: Uint8Array): Promise<Report[]> {
  const source = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const mail = await simpleParser(source, {
    skipHtmlToText: true,
    skipImageLinks: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    keepDeliveryStatus: true,
  })
  const part = (type: string) =>
    mail.attachments.find(({ contentType }) => contentType === type)?.content.toString('latin1')
  // The message that it is about comes back with it, or its headers do, or it came to its return address.
  const message = messageTokensIn(source.toString('latin1'))
  const status = part('message/delivery-status')
  if (status !== undefined) return statusReports(status, message)
  const feedback = part('message/feedback-report')
  return feedback === undefined ? [] : feedbackReports(feedback, message)
}

function statusReports(status: string, message: string): Report[] {
  return groupsOf(status)
    .slice(0, mostReports)
    .flatMap((fields): Report[] => {
      const action = (fields.get('action') ?? '').toLowerCase()
      if (action !== 'failed' && action !== 'delayed') return []
      const code = fields.get('status') ?? ''
      const detail = typed(fields.get('diagnostic-code')) || code
      const email = typed(fields.get('original-recipient')) || typed(fields.get('final-recipient'))
      return [{ kind: action === 'failed' && isDead(code) ? 'HARD' : 'SOFT', message, email, detail }]
    })
}

function feedbackReports(feedback: string, message: string): Report[] {
  const fields = groupsOf(feedback)[0]
  const type = (fields?.get('feedback-type') ?? '').toLowerCase()
  if (type !== 'abuse' && type !== 'fraud') return []
  return [{ kind: 'COMPLAINT', message, email: bare(fields?.get('original-rcpt-to')), detail: `feedback: ${type}` }]
}

/**
 * Whether a status (RFC 3463) says that the address itself takes no mail. A full mailbox may be emptied, and a message that
 * was too long, or refused by some policy, says nothing about the next one.
 */
function isDead(status: string): boolean {
  return /^5\./.test(status) && !/^5\.(?:2\.[23]|3\.4|7\.)/.test(status)
}

/** Groups of fields, separated by empty lines; a line that begins with space goes on with the one before it. */
function groupsOf(text: string): Map<string, string>[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split(/\n\s*\n/)
    .map((group) => {
      const fields = group.split('\n').flatMap((line): [string, string][] => {
        const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
        return name === undefined ? [] : [[name.toLowerCase(), (value ?? '').trim()]]
      })
      return new Map(fields)
    })
}

/** `rfc822; ada@example.com` without its type. */
function typed(value: string | undefined): string {
  return bare(value?.slice(value.indexOf(';') + 1))
}

function bare(value: string | undefined): string {
  return (value ?? '')
    .slice(0, longestWords)
    .trim()
    .replace(/^<(.*)>$/, '$1')
}
