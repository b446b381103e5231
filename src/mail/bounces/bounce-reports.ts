import { z } from 'zod'
import type { BounceReport } from './bounces.ts'

/** Reads the reports in a request of a provider. **Throws** a ZodError if the provider does not send such requests. */
export type ReportReader = (body: unknown) => BounceReport[]

const words = z.string().catch('')
const anything = z.unknown().transform((value) => JSON.stringify(value ?? ''))

/** The generic format: one report or a list of them. */
export const readGenericReports: ReportReader = (body) => {
  const report = z.object({
    type: z.enum(['bounce', 'soft_bounce', 'complaint']),
    email: words,
    message_id: words,
    detail: words,
  })
  const kinds = { bounce: 'HARD', soft_bounce: 'SOFT', complaint: 'COMPLAINT' } as const
  return z
    .union([report.transform((one) => [one]), z.array(report).max(1_000)])
    .parse(body)
    .map(({ type, email, message_id, detail }) => ({ kind: kinds[type], message: message_id, email, detail }))
}

/** Postmark: bounce and spam complaint webhooks. Other events are ignored. */
export const readPostmarkReports: ReportReader = (body) => {
  const kinds: Readonly<Record<string, BounceReport['kind']>> = {
    HardBounce: 'HARD',
    BadEmailAddress: 'HARD',
    Transient: 'SOFT',
    SoftBounce: 'SOFT',
    DnsError: 'SOFT',
    Blocked: 'SOFT',
    SpamNotification: 'SOFT',
    DMARCPolicy: 'SOFT',
    SpamComplaint: 'COMPLAINT',
  }
  const { Type, Email, Description, Details, Metadata, RecordType } = z
    .object({
      RecordType: z.string(),
      Type: words,
      Email: words,
      Description: words,
      Details: words,
      Metadata: anything,
    })
    .parse(body)
  const kind = own(kinds, RecordType === 'SpamComplaint' ? RecordType : Type)
  return kind ? [{ kind, message: Metadata, email: Email, detail: Details || Description }] : []
}

/** Mailgun: the events `failed` and `complained`. */
export const readMailgunReports: ReportReader = (body) => {
  const { 'event-data': event } = z
    .object({
      'event-data': z.object({
        event: z.string(),
        severity: words,
        reason: words,
        recipient: words,
        message: anything,
        'delivery-status': z.object({ message: words, description: words }).catch({ message: '', description: '' }),
      }),
    })
    .parse(body)
  const { message, description } = event['delivery-status']
  const report = { message: event.message, email: event.recipient, detail: message || description || event.reason }
  if (event.event === 'complained' || event.reason === 'suppress-complaint') return [{ ...report, kind: 'COMPLAINT' }]
  if (event.event !== 'failed') return []
  // Mailgun also uses `permanent` for messages that it gave up, or that were refused for their content.
  const isHard = event.severity === 'permanent' && /^(bounce|suppress-bounce|hardfail)$/.test(event.reason)
  return [{ ...report, kind: isHard ? 'HARD' : 'SOFT' }]
}

/** SendGrid: a list of events. Bounces, drops, deferrals and spam reports are read, other events are ignored. */
export const readSendgridReports: ReportReader = (body) => {
  const events = z
    .array(z.object({ event: z.string(), type: words, email: words, reason: words, 'smtp-id': words }))
    .max(10_000)
    .parse(body)
  return events.flatMap(({ event, type, email, reason, 'smtp-id': message }): BounceReport[] => {
    const report = { message, email, detail: reason }
    switch (event) {
      case 'bounce':
        return [{ ...report, kind: type === 'blocked' ? 'SOFT' : 'HARD' }]
      case 'deferred':
        return [{ ...report, kind: 'SOFT' }]
      case 'spamreport':
        return [{ ...report, kind: 'COMPLAINT' }]
      case 'dropped':
        if (/^Bounced Address/i.test(reason)) return [{ ...report, kind: 'HARD' }]
        return /^Spam Reporting Address/i.test(reason) ? [{ ...report, kind: 'COMPLAINT' }] : []
      default:
        return []
    }
  })
}

/** Amazon SES: the message of an SNS notification, a feedback notification or a published event. */
export const readSesReports: ReportReader = (body) => {
  const people = <Shape extends z.ZodRawShape>(more: Shape) =>
    z.array(z.object({ emailAddress: words, ...more })).catch([])
  const { notificationType, eventType, mail, bounce, complaint } = z
    .object({
      notificationType: words,
      eventType: words,
      mail: anything,
      bounce: z
        .object({ bounceType: words, bouncedRecipients: people({ status: words, diagnosticCode: words }) })
        .optional(),
      complaint: z.object({ complaintFeedbackType: words, complainedRecipients: people({}) }).optional(),
    })
    .parse(body)
  const type = notificationType || eventType
  if (type === 'Bounce' && bounce) {
    const kind = bounce.bounceType === 'Permanent' ? 'HARD' : 'SOFT'
    return bounce.bouncedRecipients.map(({ emailAddress, status, diagnosticCode }) => ({
      kind,
      message: mail,
      email: emailAddress,
      detail: diagnosticCode || status,
    }))
  }
  // `not-spam` is the opposite of a complaint: the recipient moved the message out of the spam folder.
  if (type !== 'Complaint' || !complaint || complaint.complaintFeedbackType === 'not-spam') return []
  const detail = complaint.complaintFeedbackType || 'complaint'
  return complaint.complainedRecipients.map(({ emailAddress }) => ({
    kind: 'COMPLAINT',
    message: mail,
    email: emailAddress,
    detail,
  }))
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
