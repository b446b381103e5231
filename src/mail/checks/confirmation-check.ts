import type { Ctx } from '../../db/context.ts'
import { isUnverified, unverifiedReason } from '../domains/sender-domains.ts'
import { byId, findMissingFields } from '../emails/emails.ts'
import { domainOf } from '../messages/messages.ts'
import { contentReports } from './content-reports.ts'

/** The codes of findings, and whether the message of the server is sent instead. */
const codes = {
  NO_SUBJECT: true,
  SENDER_MISSING: true,
  SENDER_UNVERIFIED: true,
  NO_CONTENT: true,
  CONTENT_INVALID: true,
  CONFIRM_LINK_MISSING: true,
  UNSUBSCRIBE_LINK: true,
  MERGE_FIELD_UNKNOWN: false,
  MERGE_FIELD_BROKEN: false,
  BLOCK_INCOMPLETE: false,
  CONTENT_OUTDATED: false,
} as const satisfies Record<string, boolean>

export type ConfirmationFindingCode = keyof typeof codes

/** Something that is wrong with a confirmation e-mail. */
export interface ConfirmationFinding {
  readonly code: ConfirmationFindingCode
  /** A sentence. */
  readonly message: string
  /** Path of the block in the document of the content. */
  readonly path?: string
}

/** Whether the message of the server is sent because of a finding. */
export function isConfirmationError({ code }: ConfirmationFinding): boolean {
  return codes[code]
}

const missing = { subject: 'NO_SUBJECT', fromEmail: 'SENDER_MISSING', html: 'NO_CONTENT' } as const

/** Links of other messages, which a confirmation e-mail does not have: it is no marketing e-mail, and has no page. */
const otherLinks = /^\{\{(?:UNSUBSCRIBE_URL|VIEW_URL)\}\}$/

/**
 * Finds what is wrong with a confirmation e-mail, errors first. The number of statements does not depend on the number of
 * e-mails.
 *
 * **Throws** RATE_LIMITED if too much content is waiting to be checked.
 */
export async function checkConfirmation(ctx: Ctx, emailId: number): Promise<ConfirmationFinding[]> {
  const email = await ctx.load(byId, emailId)
  if (!email) return [{ code: 'NO_CONTENT', message: 'html is not set yet.' }]
  const domain = domainOf(email.fromEmail)
  const isSenderUnverified = email.fromEmail !== '' && (await ctx.load(isUnverified, domain))
  const findings: ConfirmationFinding[] = [
    ...Object.entries(findMissingFields(email) ?? {}).map(([field, [problem = '']]) => ({
      code: missing[field as keyof typeof missing],
      message: `${field} ${problem}.`,
    })),
    ...(isSenderUnverified ? [{ code: 'SENDER_UNVERIFIED' as const, message: unverifiedReason(domain) }] : []),
  ]
  const hasContent = findings.every(({ code }) => code !== 'NO_CONTENT')
  if (hasContent) findings.push(...(await checkBody(ctx, emailId)))
  return findings.sort((one, other) => Number(isConfirmationError(other)) - Number(isConfirmationError(one)))
}

async function checkBody(ctx: Ctx, emailId: number): Promise<ConfirmationFinding[]> {
  const report = await ctx.load(contentReports, emailId)
  if (!report) return []
  if ('problem' in report) return [{ code: 'CONTENT_INVALID', message: `${report.field} ${report.problem}.` }]
  const { withoutLink, mergeFields, incomplete, compileError } = report
  return [
    ...withoutLink.map(({ field, problem }) => ({
      code: 'CONFIRM_LINK_MISSING' as const,
      message: `${field} ${problem}. Recipients confirm with a link to {{CONFIRM_URL}}.`,
    })),
    ...mergeFields.map(({ kind, field, mergeField }): ConfirmationFinding => {
      if (kind === 'BROKEN') {
        const message = `${field} contains ${mergeField}, which is not a valid merge field and is sent unchanged.`
        return { code: 'MERGE_FIELD_BROKEN', message }
      }
      if (otherLinks.test(mergeField)) {
        const message = `${field} contains ${mergeField}, for example in a footer. A confirmation e-mail has no such link.`
        return { code: 'UNSUBSCRIBE_LINK', message }
      }
      const message = `${field} contains ${mergeField}, which is empty until the address is confirmed. Its fallback is sent.`
      return { code: 'MERGE_FIELD_UNKNOWN', message }
    }),
    ...incomplete.map((path) => ({
      code: 'BLOCK_INCOMPLETE' as const,
      message: `content has a block without its picture or link, which is not shown: ${path}.`,
      path,
    })),
    ...(compileError === null
      ? []
      : [{ code: 'CONTENT_OUTDATED' as const, message: `content could not be made again: ${compileError}` }]),
  ]
}
