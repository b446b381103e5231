import type { Ctx } from '../../db/context.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { type ConfirmationFinding, checkConfirmation, isConfirmationError } from './confirmation-check.ts'

const FindingCode = builder.enumType('ConfirmationFindingCode', {
  description: 'What was found when a confirmation e-mail was checked.',
  values: {
    NO_SUBJECT: { description: 'ERROR: the subject is not set.' },
    SENDER_MISSING: { description: 'ERROR: the e-mail address of the sender is not set.' },
    SENDER_UNVERIFIED: { description: 'ERROR: the server requires verified sender domains (`senderDomains`).' },
    NO_CONTENT: { description: 'ERROR: the body was never set.' },
    CONTENT_INVALID: { description: 'ERROR: the body exceeds a limit, or cannot be processed in time.' },
    CONFIRM_LINK_MISSING: {
      description:
        'ERROR: a body has no `{{CONFIRM_URL}}` that recipients can use. It must be the `href` of a link with visible content, or visible text that is only the URL.',
    },
    UNSUBSCRIBE_LINK: {
      description:
        'ERROR: a text contains `{{UNSUBSCRIBE_URL}}` or `{{VIEW_URL}}`, as a block of the type `footer` does. A confirmation e-mail has no such links.',
    },
    MERGE_FIELD_UNKNOWN: {
      description:
        'WARNING: a merge field is neither `{{CONFIRM_URL}}`, `{{EMAIL}}` nor a date. Other data of a contact is not sent to an address that is not confirmed: messages contain the fallback or nothing.',
    },
    MERGE_FIELD_BROKEN: {
      description:
        'WARNING: a text begins like a merge field, or is that of another system, but is not valid. Messages contain it unchanged.',
    },
    BLOCK_INCOMPLETE: {
      description: 'WARNING: a block has no picture or no link yet. What is missing is not shown.',
    },
    CONTENT_OUTDATED: {
      description:
        'WARNING: the body could not be made again after the brand or a reusable block was changed (`Email.compileError`).',
    },
  },
})

const FindingSeverity = builder.enumType('ConfirmationFindingSeverity', {
  description: 'What follows from a finding.',
  values: {
    ERROR: { description: 'The message of the server is sent instead.' },
    WARNING: { description: 'The message is sent.' },
  },
})

const ConfirmationFindingType = builder.objectRef<ConfirmationFinding>('ConfirmationFinding').implement({
  description: 'Something that is wrong with a confirmation e-mail.',
  fields: (t) => ({
    code: t.expose('code', { type: FindingCode, description: 'Kind of the finding.' }),
    severity: t.field({
      type: FindingSeverity,
      description: 'What follows from the finding. It depends only on `code`.',
      resolve: (finding) => (isConfirmationError(finding) ? 'ERROR' : 'WARNING'),
    }),
    message: t.exposeString('message', { description: 'A sentence for people.' }),
    path: t.exposeString('path', {
      nullable: true,
      description:
        'Path of the block in `Email.content`, such as `sections.0.columns.0.blocks.2`. Null for other findings.',
    }),
  }),
})

readableWith('ConfirmationFinding', 'forms:read', 'funnels:read')

const ConfirmationCheckType = builder
  .objectRef<{ readonly findings: readonly ConfirmationFinding[] }>('ConfirmationCheck')
  .implement({
    description: 'Result of the check of a confirmation e-mail.',
    fields: (t) => ({
      isSent: t.boolean({
        description:
          'Whether the e-mail is sent: no finding has the severity ERROR. Otherwise the message of the server is sent.',
        resolve: ({ findings }) => !findings.some(isConfirmationError),
      }),
      findings: t.expose('findings', {
        type: [ConfirmationFindingType],
        description: 'What is wrong, errors first. At most 50 findings about merge fields, and one for each block.',
        complexity: listCost('findings'),
      }),
    }),
  })

readableWith('ConfirmationCheck', 'forms:read', 'funnels:read')

/** The options of a field with the check of a confirmation e-mail. A check renders a message, as a preview does. */
export const checkOptions = {
  type: ConfirmationCheckType,
  nullable: true,
  description: 'Checks `confirmationEmail`. Null if there is none.',
  complexity: 100,
} as const

/** Resolves the field with the check of a confirmation e-mail. */
export async function resolveCheck(confirmationEmailId: number | null, ctx: Ctx) {
  return confirmationEmailId === null ? null : { findings: await checkConfirmation(ctx, confirmationEmailId) }
}
