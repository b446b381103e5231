import { convert } from 'html-to-text'
import { type ParsedMail, simpleParser } from 'mailparser'
import { judge } from '../failures/failure-judgement.ts'
import { messageTokensIn } from '../messages/message-tokens.ts'
import { readSesReports } from './provider-reports.ts'
import { type BounceReport, judgeReport } from './report-judgement.ts'
import { answerHeaders, answerSubject, reportAuthor, reportSubject } from './report-marks.ts'
import { addressesIn, explanationOf, textFailures } from './text-reports.ts'

/** Maximum number of reports in a message, and of characters in a field of a report. */
const maxReports = 1_000
const maxFieldLength = 2_000

/** Maximum number of characters of a report in HTML that are read. */
const maxHtmlLength = 100_000

/**
 * Reads the reports in a returned message: a delivery status notification (RFC 3464, RFC 6533), a feedback report (RFC 5965), or
 * the text of a mail server that writes neither. Empty for any other message.
 * **Throws** an Error if the source is not a message.
 */
export async function parseDsn(bytes: Uint8Array): Promise<ReturnedMail> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const mail = await parse(source)
  const reports = await reportsOf(mail, source)
  return { reports, isReport: reports.length > 0 || isReport(mail) }
}

/** The reports in a returned message, and whether it is one although it contains none that can be read. */
export interface ReturnedMail {
  readonly reports: readonly BounceReport[]
  readonly isReport: boolean
}

function parse(source: Buffer): Promise<ParsedMail> {
  return simpleParser(source, {
    // Its converter takes minutes for 10 MB; `textOf` converts the begin.
    skipHtmlToText: true,
    skipImageLinks: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    keepDeliveryStatus: true,
  })
}

async function reportsOf(mail: ParsedMail, source: Buffer, depth = 0): Promise<BounceReport[]> {
  // The report contains the message, its headers, or its return address.
  const message = messageTokensIn(source.toString('latin1'))
  const feedback = partOf(mail, /^message\/feedback-report$/)
  const returned = returnedHeadersOf(mail)
  if (feedback !== undefined) return feedbackReports(feedback, returned, message)
  const complained = /^X-HmXmrOriginalRecipient:\s*(\S+)/im.exec(source.toString('latin1', 0, 100_000))?.[1]
  if (complained !== undefined)
    return [{ kind: 'COMPLAINT', message, email: bare(complained), detail: 'feedback: abuse' }]
  // The parts of a message that was damaged on its way are read as one text.
  const text = mail.text?.trim() || textOf(mail.html) || bodyOf(source)
  const notification = notificationIn(text)
  if (notification !== undefined) return readSesReports(notification).map(judgeReport)
  const explanation = explanationOf(text)
  const status =
    partOf(mail, /^message\/(?:global-)?delivery-status$/) ??
    /^(?:Reporting-MTA|(?:Original|Final)-Recipient|Action):[\s\S]*/im.exec(text)?.[0]
  const reports = status === undefined ? [] : statusReports(status, explanation, message)
  if (reports.length > 0 || isAnswered(status)) return reports
  // A gateway returned the report of another server.
  const inner = mail.attachments.find(
    ({ contentType, content }) =>
      contentType === 'message/rfc822' &&
      /^content-type:\s*message\/delivery-status/im.test(content.toString('latin1')),
  )
  if (inner && depth === 0)
    return (await reportsOf(await parse(inner.content), inner.content, 1)).map((report) => ({ ...report, message }))
  return textReports(mail, explanation, returned, message)
}

/** Returns whether the fields of a report say that nothing failed. */
function isAnswered(status: string | undefined): boolean {
  return status !== undefined && /^Action:\s*(?:delivered|deliverable|relayed|expanded)/im.test(status)
}

/** Returns the notification of Amazon SES that SNS sent by e-mail. */
function notificationIn(text: string): unknown {
  // Lines of more than 998 characters were folded on their way.
  const json = /^\s*(\{"notificationType"[\s\S]*\})\s*(?:--|$)/.exec(text.replace(/!\r?\n ?/g, ''))?.[1]
  try {
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return undefined
  }
}

function textOf(html: string | false): string {
  return html
    ? convert(html.slice(0, maxHtmlLength), {
        wordwrap: false,
        limits: { maxDepth: 100 },
        selectors: [{ selector: 'img', format: 'skip' }],
      }).trim()
    : ''
}

function bodyOf(source: Buffer): string {
  const text = source.toString('utf8', 0, 100_000).replace(/\r\n?/g, '\n')
  return text.slice(text.indexOf('\n\n') + 2).replace(/^--\S+\n(?:[\w-]+:.*\n(?:[ \t]+.*\n)*)*|^boundary=.*\n/gm, '')
}

type Fields = ReadonlyMap<string, readonly string[]>

function statusReports(status: string, explanation: string, message: string): BounceReport[] {
  return groupsOf(status)
    .slice(0, maxReports)
    .flatMap((fields): BounceReport[] => {
      const first = (name: string) => fields.get(name)?.[0]
      const given = ['original-recipient', 'final-recipient', 'x-actual-recipient'].map((name) =>
        bare(withoutType(first(name))),
      )
      const action = (first('action') ?? '').toLowerCase().replace(/[^a-z].*/, '')
      const code = first('status') ?? ''
      if (
        given.every((each) => each === '') ||
        /^(?:delivered|deliverable|relayed|expanded)$/.test(action) ||
        code.startsWith('2')
      )
        return []
      const email = given.find(isAddress) ?? textFailures(explanation, { failed: [], others: [] })[0]?.email ?? ''
      const reply = withoutType(first('diagnostic-code'))
      const isTemporary = action === 'delayed' || action === 'expired' ? true : undefined
      const { cause, isHard } = verdictOf({
        status: code,
        reply,
        explanation,
        email,
        isTemporary,
        isFinal: action.startsWith('fail'),
      })
      return [
        { kind: isHard ? 'HARD' : 'SOFT', cause, isDelay: action === 'delayed', message, email, detail: reply || code },
      ]
    })
}

/** Judges by the reply, or, if it gives no cause, by what the text says about the recipient. */
function verdictOf({
  status,
  reply,
  explanation,
  email,
  isTemporary,
  isFinal,
}: {
  status: string
  reply: string
  explanation: string
  email: string
  isTemporary: boolean | undefined
  isFinal: boolean
}) {
  const byReply = judge({ status, text: reply, isTemporary, isFinal })
  if (byReply.cause !== 'UNKNOWN' && reply !== '') return byReply
  const text = textFailures(explanation, { failed: [email], others: [] })[0]?.text ?? ''
  const byText = judge({ status, text: `${reply} ${text}`, isTemporary, isFinal })
  return byText.cause === 'UNKNOWN' ? byReply : byText
}

function textReports(mail: ParsedMail, explanation: string, returned: Fields, message: string): BounceReport[] {
  if (!isReport(mail)) return []
  const header = (name: string) => String(mail.headers.get(name) ?? '')
  const failed = addressesIn(header('x-failed-recipients'))
  const others = [mail.to, mail.from].flat().flatMap((each) => each?.value.map(({ address }) => address ?? '') ?? [])
  const named = textFailures(explanation, { failed, others })
  const addressed =
    named.length > 0
      ? named
      : (returned.get('to') ?? [])
          .flatMap(addressesIn)
          .slice(0, 1)
          .map((email) => ({ email, text: explanation }))
  return addressed.map(({ email, text }) => {
    const isTemporary = isWarning(mail, explanation) ? true : undefined
    const about = judge({ text, isTemporary })
    const { cause, isHard } = about.cause === 'UNKNOWN' ? judge({ text: explanation, isTemporary }) : about
    return {
      kind: isHard ? 'HARD' : 'SOFT',
      cause,
      isDelay: isTemporary === true,
      message,
      email,
      detail: detailOf(text),
    }
  })
}

/**
 * Returns whether a message is the report of a mail server and not the answer of a person or of a program that answers for one
 * (RFC 3834), which quotes the token of our message as well.
 */
function isReport(mail: ParsedMail): boolean {
  const subject = mail.subject ?? ''
  if (mail.headers.has('x-failed-recipients')) return true
  if (answerHeaders.some((name) => mail.headers.has(name)) || answerSubject.test(subject)) return false
  const contentType = mail.headers.get('content-type') as { params?: Record<string, string> } | undefined
  if (contentType?.params?.['report-type'] !== undefined) return true
  const author = mail.from?.value.map(({ address, name }) => `${name} ${address}`).join() ?? ''
  return author.trim() === '' || reportAuthor.test(author) || reportSubject.test(subject)
}

function isWarning(mail: ParsedMail, explanation: string): boolean {
  return (
    /\bdelay(?:ed)?\b|warning/i.test(mail.subject ?? '') ||
    /warning message only|has been delayed|will be retried/i.test(explanation)
  )
}

function detailOf(text: string): string {
  return text.slice(0, maxFieldLength)
}

function feedbackReports(feedback: string, returned: Fields, message: string): BounceReport[] {
  const fields = groupsOf(feedback)[0] ?? new Map<string, string[]>()
  const type = (fields.get('feedback-type')?.[0] ?? '').toLowerCase()
  const kind = (
    {
      abuse: 'COMPLAINT',
      fraud: 'COMPLAINT',
      virus: 'COMPLAINT',
      other: 'COMPLAINT',
      'opt-out': 'OPT_OUT',
      'opt-out-list': 'OPT_OUT',
    } as const
  )[type]
  if (kind === undefined) return []
  const named = ['original-rcpt-to', 'removal-recipient']
    .flatMap((name) => fields.get(name) ?? [])
    .map(bare)
    .filter(Boolean)
  const emails = named.length > 0 ? named : (returned.get('to') ?? []).flatMap(addressesIn)
  const unique = [...new Set(emails)].slice(0, maxReports)
  return (unique.length > 0 ? unique : ['']).map((email) => ({ kind, message, email, detail: `feedback: ${type}` }))
}

function partOf(mail: ParsedMail, type: RegExp): string | undefined {
  const parts = mail.attachments.filter(({ contentType }) => type.test(contentType))
  return parts.length === 0 ? undefined : parts.map(({ content }) => content.toString()).join('\n\n')
}

/** Returns the header fields of the returned message, if a part contains it. */
function returnedHeadersOf(mail: ParsedMail): Fields {
  const part = mail.attachments.find(({ contentType }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers?|message\/(?:global-headers|partial))$/.test(contentType),
  )
  return groupsOf(part?.content.subarray(0, 100_000).toString() ?? '')[0] ?? new Map()
}

/** Returns groups of fields. Empty lines separate groups; lines that begin with white space continue the previous one. */
function groupsOf(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+(?=\S)/g, ' ')
    .split(/\n\s*\n/)
    .map((group) => {
      const fields = new Map<string, string[]>()
      for (const line of group.split('\n')) {
        const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
        if (name !== undefined)
          fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), (value ?? '').trim()])
      }
      return fields
    })
}

/** Returns a value such as `rfc822; ada@example.com` without its type. */
function withoutType(value: string | undefined): string {
  return (value ?? '')
    .slice(0, maxFieldLength)
    .replace(/^[\w-]+\s*;\s*/, '')
    .trim()
}

function isAddress(text: string): boolean {
  return /^[^\s@|/]+@[^\s@]+$|^"[^"]+"@[^\s@]+$/.test(text)
}

function bare(value: string): string {
  return value
    .slice(0, maxFieldLength)
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .trim()
}
