import { convert } from 'html-to-text'
import { type ParsedMail, simpleParser } from 'mailparser'
import { type FailureEvidence, judge } from '../failures/failure-judgement.ts'
import { messageTokensIn } from '../messages/message-tokens.ts'
import { type Fields, groupsOf, isAddress, maxFieldLength, recipientOf, withoutType } from './report-fields.ts'
import type { BounceReport } from './report-judgement.ts'
import { answerHeaders, answerSubject, reportAuthor, reportSubject } from './report-marks.ts'
import { sesReportsIn } from './ses-mail.ts'
import { addressesIn, explanationOf, type TextFailure, textFailures } from './text-reports.ts'

/** Maximum number of reports in a message. */
const maxReports = 1_000

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
  return { reports: reports ?? [], isReport: reports ? reports.length > 0 : isReport(mail) }
}

/** The reports in a returned message, and whether it is one: with reports, or one that cannot be read. */
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

/** Returns the reports of a message, none if it says that nothing failed. Undefined if it cannot be read as a report. */
async function reportsOf(mail: ParsedMail, source: Buffer, depth = 0): Promise<BounceReport[] | undefined> {
  // The report contains the message, its headers, or its return address.
  const message = messageTokensIn(source.toString('latin1'))
  const feedback = partOf(mail, /^message\/feedback-report$/)
  const returned = returnedHeadersOf(mail)
  if (feedback !== undefined) return feedbackReports(feedback, returned, message)
  const complained = /^X-HmXmrOriginalRecipient:\s*(\S+)/im.exec(source.toString('latin1', 0, 100_000))?.[1]
  if (complained !== undefined)
    return [{ kind: 'COMPLAINT', message, email: recipientOf(complained), detail: 'feedback: abuse' }]
  // The parts of a message that was damaged on its way are read as one text.
  const text = partOf(mail, /^text\/plain\s/)?.trim() || mail.text?.trim() || textOf(mail.html) || bodyOf(source)
  const notified = sesReportsIn(text)
  if (notified || isFromSns(mail)) return notified
  const explanation = explanationOf(text)
  const status =
    partOf(mail, /^message\/(?:global-)?delivery-status$/) ??
    /^(?:Reporting-MTA|(?:Original|Final)-Recipient|Action):[\s\S]*/im.exec(text)?.[0]
  const reports = status === undefined ? [] : statusReports(status, explanation, message)
  if (reports.length > 0 || isSuccess(status)) return reports
  // A gateway returned the report of another server.
  const inner = mail.attachments.find(
    ({ contentType, content }) =>
      contentType === 'message/rfc822' &&
      /^content-type:\s*message\/delivery-status/im.test(content.toString('latin1')),
  )
  if (inner && depth === 0)
    return (await reportsOf(await parse(inner.content), inner.content, 1))?.map((report) => ({ ...report, message }))
  const named = textReports(mail, explanation, returned, message)
  return named.length > 0 ? named : undefined
}

/** Returns whether the fields of a report say that nothing failed. */
function isSuccess(status: string | undefined): boolean {
  return status !== undefined && /^Action:\s*(?:delivered|deliverable|relayed|expanded)/im.test(status)
}

function isFromSns(mail: ParsedMail): boolean {
  return mail.from?.value.some(({ address }) => address?.toLowerCase().endsWith('@sns.amazonaws.com')) ?? false
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

function statusReports(status: string, explanation: string, message: string): BounceReport[] {
  const failed = groupsOf(status)
    .slice(0, maxReports)
    .flatMap((fields) => statusFailure(fields) ?? [])
  const named = failed.map(({ email }) => email).filter((email) => email !== '')
  const texts = textFailures(explanation, { failed: named, others: [] })
  const judgeText = judgeTexts(texts)
  return failed.map(({ email: given, code, action, reply }): BounceReport => {
    const email = given || (texts[0]?.email ?? '')
    const isTemporary = action === 'delayed' || action === 'expired' ? true : undefined
    const evidence = { status: code, isTemporary, isFinal: action.startsWith('fail') }
    // By the reply or, if it gives no cause, by what the text says about the recipient.
    const byReply = judge({ ...evidence, text: reply })
    const byText = byReply.cause !== 'UNKNOWN' && reply !== '' ? byReply : judgeText(email, { ...evidence, reply })
    const { cause, isHard } = byText.cause === 'UNKNOWN' ? byReply : byText
    return {
      kind: isHard ? 'HARD' : 'SOFT',
      cause,
      isDelay: action === 'delayed',
      message,
      email,
      detail: reply || code,
    }
  })
}

/** Reads the fields about a recipient. Undefined if they report no failure. */
function statusFailure(fields: Fields) {
  const first = (name: string) => fields.get(name)?.[0]
  const given = ['original-recipient', 'final-recipient', 'x-actual-recipient'].map((name) =>
    recipientOf(withoutType(first(name))),
  )
  const action = (first('action') ?? '').toLowerCase().replace(/[^a-z].*/, '')
  const code = first('status') ?? ''
  const isDelivered = /^(?:delivered|deliverable|relayed|expanded)$/.test(action) || code.startsWith('2')
  if (isDelivered || given.every((each) => each === '')) return undefined
  return { email: given.find(isAddress) ?? '', code, action, reply: withoutType(first('diagnostic-code')) }
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
          .map((email) => ({ email, text: explanation, before: '' }))
  const isTemporary = isWarning(mail, explanation) ? true : undefined
  const judgeText = judgeTexts(addressed)
  // If it says nothing about any recipient, the whole explanation is about each.
  const isAboutAll = addressed.every(({ email }) => judgeText(email, { isTemporary }).cause === 'UNKNOWN')
  return addressed.map(({ email, text }) => {
    const { cause, isHard } = isAboutAll ? judge({ text: explanation, isTemporary }) : judgeText(email, { isTemporary })
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
 * Returns the function that judges a recipient by what a text says about it. Some servers write the reason before the recipients
 * that it concerns: then nothing follows the last one. Recipients that are listed together share their reason.
 */
function judgeTexts(texts: readonly TextFailure[]) {
  const [first, last] = [texts[0], texts.at(-1)]
  const isUnknown = (text: string | undefined) => judge({ text: text ?? '' }).cause === 'UNKNOWN'
  const isReasonFirst = texts.length > 1 && isUnknown(last?.text) && !isUnknown(first?.before)
  const byEmail = new Map<string, string>()
  let shared = ''
  for (const { email, text, before } of isReasonFirst ? texts : texts.toReversed()) {
    const own = isReasonFirst ? before : text
    if (/[^\s<>,;:*-]/.test(own.replaceAll(email, ''))) shared = own
    byEmail.set(email, shared)
  }
  return (email: string, { reply = '', ...evidence }: Omit<FailureEvidence, 'text'> & { readonly reply?: string }) =>
    judge({ ...evidence, text: `${reply} ${byEmail.get(email) ?? ''}`.trim() })
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
  if (author.trim() === '' || reportAuthor.test(author) || reportSubject.test(subject)) return true
  // Without a return address (RFC 5321, section 4.5.5), and with the message.
  const sender = mail.headers.get('return-path') as { value?: readonly { address?: string }[] } | undefined
  return sender?.value?.[0]?.address === '' && returnedHeadersOf(mail).size > 0
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

/** Reads a feedback report. One of a failed authentication (RFC 6591), such as of DMARC, is about no recipient's wish. */
function feedbackReports(feedback: string, returned: Fields, message: string): BounceReport[] | undefined {
  const fields = groupsOf(feedback)[0] ?? new Map<string, string[]>()
  const type = (fields.get('feedback-type')?.[0] ?? '').toLowerCase()
  if (type === 'auth-failure' || type === 'not-spam' || fields.has('auth-failure')) return []
  const kind = feedbackKinds[type]
  if (kind === undefined) return undefined
  const named = ['original-rcpt-to', 'removal-recipient']
    .flatMap((name) => fields.get(name) ?? [])
    .map(recipientOf)
    .filter(Boolean)
  const emails = named.length > 0 ? named : (returned.get('to') ?? []).flatMap(addressesIn)
  const unique = [...new Set(emails)].slice(0, maxReports)
  return (unique.length > 0 ? unique : ['']).map((email) => ({ kind, message, email, detail: `feedback: ${type}` }))
}

/** What follows from the types of feedback (RFC 5965, section 3.1; RFC 6430). */
const feedbackKinds: Readonly<Record<string, 'COMPLAINT' | 'OPT_OUT' | undefined>> = {
  abuse: 'COMPLAINT',
  fraud: 'COMPLAINT',
  virus: 'COMPLAINT',
  other: 'COMPLAINT',
  'opt-out': 'OPT_OUT',
  'opt-out-list': 'OPT_OUT',
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
