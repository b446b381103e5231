import { z } from 'zod'
import type { FailureCause } from '../failures/failure-causes.ts'
import type { ProviderReport } from './report-judgement.ts'

/** Reads the reports in a request of a provider. **Throws** a ZodError if the provider does not send such requests. */
export type ReportReader = (body: unknown) => ProviderReport[]

const words = z.string().catch('')
const number = z.union([z.number(), z.string()]).catch('').transform(String)
const anything = z
  .unknown()
  .optional()
  .transform((value) => JSON.stringify(value ?? ''))

/** The generic format: one report or a list of them. */
export const readGenericReports: ReportReader = (body) => {
  const report = z.object({
    type: z.enum(['bounce', 'soft_bounce', 'complaint']),
    email: words,
    message_id: words,
    detail: words,
  })
  return z
    .union([report.transform((one) => [one]), z.array(report).max(1_000)])
    .parse(body)
    .map(({ type, email, message_id: message, detail }) => {
      const isPermanent = type === 'bounce'
      const named = isPermanent ? 'ADDRESS_UNKNOWN' : 'UNKNOWN'
      const report = { message, email, detail }
      return type === 'complaint'
        ? { ...report, kind: 'COMPLAINT' }
        : { ...report, failure: { reply: detail, isPermanent, named } }
    })
}

/** Causes of Postmark's types of bounces, and whether they are permanent. */
const postmarkTypes: Readonly<Record<string, readonly [FailureCause, boolean]>> = {
  HardBounce: ['ADDRESS_UNKNOWN', true],
  BadEmailAddress: ['ADDRESS_UNKNOWN', true],
  AddressChange: ['UNKNOWN', false],
  Transient: ['NETWORK', false],
  SoftBounce: ['UNKNOWN', false],
  DnsError: ['DOMAIN_UNKNOWN', false],
  Blocked: ['BLOCK_LIST', false],
  SpamNotification: ['CONTENT', false],
  VirusNotification: ['CONTENT', false],
  ChallengeVerification: ['POLICY', false],
  DMARCPolicy: ['AUTHENTICATION', false],
  Unknown: ['UNKNOWN', false],
}

/** Postmark: bounce, spam complaint and subscription change webhooks. Other events are ignored. */
export const readPostmarkReports: ReportReader = (body) => {
  const { Type, Email, Recipient, Description, Details, Metadata, RecordType, SuppressSending, SuppressionReason } = z
    .object({
      RecordType: z.string(),
      Type: words,
      Email: words,
      Recipient: words,
      Description: words,
      Details: words,
      Metadata: anything,
      SuppressSending: z.boolean().catch(false),
      SuppressionReason: words,
    })
    .parse(body)
  const report = { message: Metadata, email: Email || Recipient, detail: Details || Description }
  if (RecordType === 'SpamComplaint' || Type === 'SpamComplaint') return [{ ...report, kind: 'COMPLAINT' }]
  if (RecordType === 'SubscriptionChange')
    return SuppressSending && SuppressionReason === 'ManualSuppression'
      ? [{ ...report, kind: 'OPT_OUT', detail: 'unsubscribed at Postmark' }]
      : []
  const [named, isPermanent] = own(postmarkTypes, Type) ?? []
  if (named === undefined) return []
  return [{ ...report, failure: { reply: report.detail, isPermanent: isPermanent === true, named } }]
}

/** Causes of Mailgun's reasons. The first four are permanent if Mailgun says so; it also does when it gives up. */
const mailgunReasons: Readonly<Record<string, FailureCause>> = {
  bounce: 'ADDRESS_UNKNOWN',
  hardfail: 'ADDRESS_UNKNOWN',
  'suppress-bounce': 'ADDRESS_UNKNOWN',
  generic: 'UNKNOWN',
  espblock: 'BLOCK_LIST',
  greylisted: 'RATE',
  old: 'NETWORK',
}

/** Mailgun: the events `failed`, `complained` and `unsubscribed`. */
export const readMailgunReports: ReportReader = (body) => {
  const status = z.object({ message: words, description: words, code: number, 'enhanced-code': words })
  const { 'event-data': event } = z
    .object({
      'event-data': z.object({
        event: z.string(),
        severity: words,
        reason: words,
        recipient: words,
        message: anything,
        'delivery-status': status.catch({ message: '', description: '', code: '', 'enhanced-code': '' }),
      }),
    })
    .parse(body)
  const { message, description, code, 'enhanced-code': enhanced } = event['delivery-status']
  const report = { message: event.message, email: event.recipient, detail: message || description || event.reason }
  if (event.event === 'complained' || event.reason === 'suppress-complaint') return [{ ...report, kind: 'COMPLAINT' }]
  if (event.event === 'unsubscribed' || event.reason === 'suppress-unsubscribe')
    return [{ ...report, kind: 'OPT_OUT', detail: 'unsubscribed at Mailgun' }]
  if (event.event !== 'failed') return []
  const isPermanent =
    event.severity === 'permanent' && /^(?:bounce|suppress-bounce|hardfail|generic)$/.test(event.reason)
  const reply = /^[45]\d\d$/.test(code) ? `${code} ${report.detail}` : report.detail
  // It tries again after a failure that it calls temporary.
  const isDelay = event.severity === 'temporary'
  const named = own(mailgunReasons, event.reason) ?? 'UNKNOWN'
  return [{ ...report, failure: { reply, status: enhanced, isPermanent, isDelay, named } }]
}

/** Causes of SendGrid's classes of bounces. */
const sendgridClasses: Readonly<Record<string, FailureCause>> = {
  'Invalid Address': 'ADDRESS_UNKNOWN',
  'Mailbox Unavailable': 'MAILBOX_FULL',
  Reputation: 'BLOCK_LIST',
  Content: 'CONTENT',
  'Frequency or Volume Too High': 'RATE',
  'Technical Failure': 'NETWORK',
}

/** SendGrid: a list of events. Bounces, drops, deferrals, spam reports and unsubscriptions are read, other events are ignored. */
export const readSendgridReports: ReportReader = (body) => {
  const events = z
    .array(
      z.object({
        event: z.string(),
        type: words,
        email: words,
        reason: words,
        response: words,
        status: words,
        bounce_classification: words,
        'smtp-id': words,
        // Operators may send the token of the message as a unique argument.
        message: words,
      }),
    )
    .max(10_000)
    .parse(body)
  return events.flatMap((given): ProviderReport[] => {
    const { event, type, email, status } = given
    const reason = given.reason || given.response
    const report = { message: `${given['smtp-id']} ${given.message}`, email, detail: reason }
    const named = own(sendgridClasses, given.bounce_classification)
    switch (event) {
      case 'bounce': {
        const isPermanent = type !== 'blocked'
        const usual = isPermanent ? 'ADDRESS_UNKNOWN' : 'BLOCK_LIST'
        return [{ ...report, failure: { reply: reason, status, isPermanent, named: named ?? usual } }]
      }
      case 'deferred':
        return [
          {
            ...report,
            failure: { reply: reason, status, isPermanent: false, isDelay: true, named: named ?? 'UNKNOWN' },
          },
        ]
      case 'spamreport':
        return [{ ...report, kind: 'COMPLAINT' }]
      case 'unsubscribe':
      case 'group_unsubscribe':
        return [{ ...report, kind: 'OPT_OUT', detail: 'unsubscribed at SendGrid' }]
      case 'dropped':
        if (/^(?:Bounced Address|Invalid$)/i.test(reason))
          return [{ ...report, kind: 'HARD', cause: 'ADDRESS_UNKNOWN' }]
        return /^Spam Reporting Address/i.test(reason) ? [{ ...report, kind: 'COMPLAINT' }] : []
      default:
        return []
    }
  })
}

/** Causes of the subtypes of Amazon SES. */
const sesSubtypes: Readonly<Record<string, FailureCause>> = {
  NoEmail: 'ADDRESS_UNKNOWN',
  Suppressed: 'ADDRESS_UNKNOWN',
  OnAccountSuppressionList: 'ADDRESS_UNKNOWN',
  MailboxFull: 'MAILBOX_FULL',
  MessageTooLarge: 'TOO_LARGE',
  ContentRejected: 'CONTENT',
  AttachmentRejected: 'CONTENT',
  CustomTimeoutExceeded: 'NETWORK',
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
        .object({
          bounceType: words,
          bounceSubType: words,
          bouncedRecipients: people({ status: words, diagnosticCode: words }),
        })
        .optional(),
      complaint: z.object({ complaintFeedbackType: words, complainedRecipients: people({}) }).optional(),
    })
    .parse(body)
  const type = notificationType || eventType
  if (type === 'Bounce' && bounce) {
    const isPermanent = bounce.bounceType === 'Permanent'
    const named = own(sesSubtypes, bounce.bounceSubType) ?? (isPermanent ? 'ADDRESS_UNKNOWN' : 'UNKNOWN')
    return bounce.bouncedRecipients.map(({ emailAddress, status, diagnosticCode: reply }) => ({
      failure: { reply, status, isPermanent, named },
      message: mail,
      email: emailAddress,
      detail: reply || status,
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
