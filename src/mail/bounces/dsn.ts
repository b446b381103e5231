import { simpleParser } from 'mailparser'
import { messageTokensIn } from '../tracking/tokens.ts'
import type { BounceReport } from './bounces.ts'

/** Maximum number of reports in a message, and of characters in a field of a report. */
const maxReports = 1_000
const maxFieldLength = 2_000

/**
 * Reads the reports in a delivery status notification (RFC 3464) or a feedback report (RFC 5965). Empty for any other message.
 * **Throws** an Error if the source is not a message.
 */
export async function parseDsn(bytes: Uint8Array): Promise<BounceReport[]> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mail = await simpleParser(source, {
    skipHtmlToText: true,
    skipImageLinks: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    keepDeliveryStatus: true,
  })
  const part = (type: string) =>
    mail.attachments.find(({ contentType }) => contentType === type)?.content.toString('latin1')
  // The report contains the message, its headers, or its return address.
  const message = messageTokensIn(source.toString('latin1'))
  const status = part('message/delivery-status')
  if (status !== undefined) return statusReports(status, message)
  const feedback = part('message/feedback-report')
  return feedback === undefined ? [] : feedbackReports(feedback, message)
}

function statusReports(status: string, message: string): BounceReport[] {
  return groupsOf(status)
    .slice(0, maxReports)
    .flatMap((fields): BounceReport[] => {
      const action = (fields.get('action') ?? '').toLowerCase()
      if (action !== 'failed' && action !== 'delayed') return []
      const code = fields.get('status') ?? ''
      const detail = withoutType(fields.get('diagnostic-code')) || code
      const email = withoutType(fields.get('original-recipient')) || withoutType(fields.get('final-recipient'))
      return [{ kind: action === 'failed' && isPermanent(code) ? 'HARD' : 'SOFT', message, email, detail }]
    })
}

function feedbackReports(feedback: string, message: string): BounceReport[] {
  const fields = groupsOf(feedback)[0]
  const type = (fields?.get('feedback-type') ?? '').toLowerCase()
  if (type !== 'abuse' && type !== 'fraud') return []
  return [
    {
      kind: 'COMPLAINT',
      message,
      email: withoutBrackets(fields?.get('original-rcpt-to')),
      detail: `feedback: ${type}`,
    },
  ]
}

/**
 * Returns whether a status (RFC 3463) means that the address does not accept e-mail. Full mailboxes, messages that are too
 * long and policies do not count: the next message may be accepted.
 */
function isPermanent(status: string): boolean {
  return /^5\./.test(status) && !/^5\.(?:2\.[23]|3\.4|7\.)/.test(status)
}

/** Returns groups of fields. Empty lines separate groups; lines that begin with white space continue the previous one. */
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

/** Returns a value such as `rfc822; ada@example.com` without its type. */
function withoutType(value: string | undefined): string {
  return withoutBrackets(value?.slice(value.indexOf(';') + 1))
}

function withoutBrackets(value: string | undefined): string {
  return (value ?? '')
    .slice(0, maxFieldLength)
    .trim()
    .replace(/^<(.*)>$/, '$1')
}
