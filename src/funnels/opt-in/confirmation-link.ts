import type { System } from '../../db/context.ts'
import { largestId } from '../../kernel/values/ids.ts'
import type { Signer } from '../../kernel/web/signer.ts'

/** Validity of a link: seven days. */
export const linkTtlMs = 7 * 24 * 60 * 60 * 1000

/** The opt-in that a link confirms. */
interface ConfirmationToken {
  readonly accountId: number
  readonly submissionId: number
  readonly isExpired: boolean
}

/** Creates the link that confirms an opt-in. It is valid for seven days after `askedAt`. */
export function confirmationLink(
  { accountId, signer, baseUrl }: System & { readonly accountId: number },
  { submissionId, askedAt }: { submissionId: number; askedAt: Date },
): string {
  const until = askedAt.getTime() + linkTtlMs
  const parts = [accountId, submissionId, until].map((part) => part.toString(36)).join('.')
  return `${baseUrl()}/c/${parts}.${signer.sign(`confirm ${parts}`)}`
}

/** Parses the token of a link. Returns undefined if its signature is invalid. */
export function parseConfirmationToken(signer: Signer, token: string, now: Date): ConfirmationToken | undefined {
  const [, parts = '', account = '', submission = '', until = '', signature = ''] =
    /^(([0-9a-z]{1,6})\.([0-9a-z]{1,6})\.([0-9a-z]{1,9}))\.([\w-]{43})$/.exec(token) ?? []
  if (parts === '' || !signer.isSigned(`confirm ${parts}`, signature)) return undefined
  const [accountId = 0, submissionId = 0, end = 0] = [account, submission, until].map((part) =>
    Number.parseInt(part, 36),
  )
  if (accountId > largestId || submissionId > largestId) return undefined
  return { accountId, submissionId, isExpired: now.getTime() > end }
}
