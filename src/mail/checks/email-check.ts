import type { Ctx } from '../../db/context.ts'
import * as senderDomains from '../domains/sender-domains.ts'
import * as emails from '../emails/emails.ts'
import { domainOf } from '../messages/messages.ts'
import { type Condition, divideConditions } from './condition-check.ts'
import { contentReports } from './content-reports.ts'

export type { Condition } from './condition-check.ts'

/** The codes of findings because of which no message of an e-mail can be sent. */
const errorCodes = ['NO_SUBJECT', 'SENDER_MISSING', 'NO_CONTENT', 'CONTENT_INVALID', 'SENDER_UNVERIFIED'] as const

export type EmailErrorCode = (typeof errorCodes)[number]
export type EmailFindingCode =
  | EmailErrorCode
  | 'UNSUBSCRIBE_LINK_MISSING'
  | 'MERGE_FIELD_UNKNOWN'
  | 'MERGE_FIELD_BROKEN'
  | 'SIZE_OVER_102_KB'
  | 'NO_PREHEADER'
  | keyof typeof faultTexts
  | 'PICTURE_HEAVY'
  | 'LOW_CONTRAST'
  | 'BLOCK_INCOMPLETE'
  | 'CONDITION_INVALID'
  | 'CONTENT_OUTDATED'

/** What is wrong, and where. */
export interface FindingDetails {
  /** The field to correct. */
  readonly field: string
  /** What is wrong: a sentence, or the end of one that begins with the name of the field. */
  readonly problem: string
  readonly mergeField?: string
  /** Index of the merge field in the field, in UTF-16 code units. */
  readonly offset?: number
  /** Path of the block in the document of the content. */
  readonly path?: string
  /** URL and size in bytes of the picture. */
  readonly url?: string
  readonly bytes?: number
}

/** Something that is wrong with an e-mail. */
export interface EmailFinding<Code extends EmailFindingCode = EmailFindingCode> extends FindingDetails {
  readonly code: Code
  readonly field: 'subject' | 'preheader' | 'fromEmail' | 'content' | 'html' | 'text'
}

/** The result of the check of an e-mail. */
export interface EmailCheck {
  readonly findings: readonly EmailFinding[]
}

/** Maximum size of a message's HTML that Gmail shows completely, in bytes. */
const maxHtmlBytes = 102_000

const codesOfFields = { subject: 'NO_SUBJECT', fromEmail: 'SENDER_MISSING', html: 'NO_CONTENT' } as const
type RequiredField = keyof typeof codesOfFields

/** Whether no message of the e-mail can be sent because of a finding. */
export function isError({ code }: EmailFinding): boolean {
  return errorCodes.some((each) => each === code)
}

/** Returns the sentence of a finding. */
export function messageOf({ field, problem }: FindingDetails): string {
  return /^[A-Z].*\.$/s.test(problem) ? problem : `${field} ${problem}.`
}

/**
 * Finds what prevents that messages of an e-mail are sent, and what their recipients would notice. The number of statements
 * does not depend on the number of e-mails.
 *
 * **Throws** RATE_LIMITED if too much content is waiting to be checked.
 */
export async function checkEmail(ctx: Ctx, emailId: number): Promise<EmailCheck> {
  const errors = await findEmailErrors(ctx, emailId)
  const { findings } = await checkContent(ctx, emailId, errors)
  return { findings: [...errors, ...findings].sort((a, b) => Number(isError(b)) - Number(isError(a))) }
}

/** Finds what is missing in an e-mail, and whether the account may send from its address. */
export async function findEmailErrors(ctx: Ctx, emailId: number): Promise<EmailFinding<EmailErrorCode>[]> {
  const email = await ctx.load(emails.byId, emailId)
  if (!email) return [{ code: 'NO_CONTENT', field: 'html', problem: 'is not set yet' }]
  const missing = Object.entries(emails.findMissingFields(email) ?? {}).map(([name, [problem = '']]) => {
    const field = name as RequiredField
    return { code: codesOfFields[field], field, problem }
  })
  const domain = domainOf(email.fromEmail)
  const isUnverified = email.fromEmail !== '' && (await ctx.load(senderDomains.isUnverified, domain))
  if (!isUnverified) return missing
  return [
    ...missing,
    { code: 'SENDER_UNVERIFIED', field: 'fromEmail', problem: senderDomains.unverifiedReason(domain) },
  ]
}

/** What was found in the content of an e-mail. */
interface ContentCheck {
  readonly findings: readonly EmailFinding[]
  /** The conditions of its blocks that can be evaluated. */
  readonly conditions: readonly Condition[]
}

/** Checks the content of an e-mail. `errors` are those of `findEmailErrors`. **Throws** as `checkEmail`. */
export async function checkContent(ctx: Ctx, emailId: number, errors: readonly EmailFinding[]): Promise<ContentCheck> {
  const hasContent = errors.every(({ code }) => code !== 'NO_CONTENT')
  const report = hasContent ? await ctx.load(contentReports, emailId) : null
  if (!report) return { findings: [], conditions: [] }
  if ('problem' in report) return { findings: [{ code: 'CONTENT_INVALID', ...report }], conditions: [] }
  const {
    mergeFields,
    withoutLink,
    htmlBytes,
    faults,
    lowContrast,
    incomplete,
    heavyPictures,
    hasPreheader,
    conditions,
    compileError,
  } = report
  const { valid, invalid } = await divideConditions(ctx, conditions)
  const findings: EmailFinding[] = [
    ...withoutLink.map(
      ({ field, problem }): EmailFinding => ({
        code: 'UNSUBSCRIBE_LINK_MISSING',
        field,
        problem: `${problem}, so an unsubscribe link is appended to each message`,
      }),
    ),
    ...mergeFields.map(
      ({ kind, ...fault }): EmailFinding =>
        kind === 'UNKNOWN'
          ? { code: 'MERGE_FIELD_UNKNOWN', ...fault, problem: `contains the unknown merge field ${fault.mergeField}` }
          : {
              code: 'MERGE_FIELD_BROKEN',
              ...fault,
              problem: `contains ${fault.mergeField}, which is not a valid merge field and is sent unchanged`,
            },
    ),
    ...(htmlBytes > maxHtmlBytes ? [oversize(htmlBytes)] : []),
    ...(hasPreheader ? [] : [noPreheader]),
    ...Object.entries(faultTexts).flatMap(([code, text]): EmailFinding[] => {
      const count = faults[code as keyof typeof faultTexts]
      return count === 0 ? [] : [{ code: code as keyof typeof faultTexts, field: 'html', problem: text(count) }]
    }),
    ...heavyPictures.map((picture): EmailFinding => {
      const kilobytes = Math.ceil(picture.bytes / 1_000)
      const problem = `has a picture with ${kilobytes} kB, which takes long to load: ${picture.path ?? picture.url}`
      return { code: 'PICTURE_HEAVY', field: picture.path === undefined ? 'html' : 'content', problem, ...picture }
    }),
    ...lowContrast.map((path): EmailFinding => {
      return { code: 'LOW_CONTRAST', field: 'content', path, problem: `has text that is hard to read at ${path}` }
    }),
    ...incomplete.map((path): EmailFinding => {
      const problem = `has a block without its picture or link, which is not shown: ${path}`
      return { code: 'BLOCK_INCOMPLETE', field: 'content', path, problem }
    }),
    ...invalid.flatMap(({ paths, problemAt }) =>
      paths.map((path): EmailFinding => {
        return { code: 'CONDITION_INVALID', field: 'content', path, problem: problemAt(path) }
      }),
    ),
    ...(compileError === null ? [] : [outdated(compileError)]),
  ]
  return { findings, conditions: valid }
}

const noPreheader: EmailFinding = {
  code: 'NO_PREHEADER',
  field: 'preheader',
  problem: 'is not set, so inboxes show the beginning of the body',
}

function outdated(reason: string): EmailFinding {
  const problem = `could not be made again after a change of the brand or a reusable block, so messages have the previous body: ${reason}`
  return { code: 'CONTENT_OUTDATED', field: 'content', problem }
}

/** What is wrong with this number of pictures or links. */
const faultTexts = {
  PICTURE_WITHOUT_ALT: (count) => `has ${count} pictures without an alternative text`,
  PICTURE_NOT_SECURE: (count) => `has ${count} pictures with an http URL, which some mail programs do not show`,
  LINK_WITHOUT_TARGET: (count) => `has ${count} links that lead nowhere`,
  LINK_WITHOUT_SCHEME: (count) =>
    `has ${count} links whose address does not begin with https://, which mail programs do not open`,
} as const satisfies Record<string, (count: number) => string>

function oversize(htmlBytes: number): EmailFinding {
  const kilobytes = Math.ceil(htmlBytes / 1_000)
  return {
    code: 'SIZE_OVER_102_KB',
    field: 'html',
    problem: `has a size of about ${kilobytes} kB in a message; Gmail hides what exceeds 102 kB`,
  }
}
