import { listCost } from '../../graphql/cost/sizes.ts'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import type { EmailCheck, EmailFinding, EmailFindingCode, FindingDetails } from './email-check.ts'
import * as emailChecks from './email-check.ts'

/** Points of a check: it renders a message, as a preview does. */
export const checkCost = 100

/** The codes of findings in an e-mail. Those of campaigns have more. */
export const emailFindingCodes = {
  NO_SUBJECT: { description: 'ERROR: the subject is not set.' },
  SENDER_MISSING: { description: 'ERROR: the e-mail address of the sender is not set.' },
  NO_CONTENT: { description: 'ERROR: the HTML body was never set.' },
  CONTENT_INVALID: {
    description: 'ERROR: the body exceeds a limit of bodies, or cannot be processed in time.',
  },
  SENDER_UNVERIFIED: { description: 'ERROR: the server requires verified sender domains (`senderDomains`).' },
  UNSUBSCRIBE_LINK_MISSING: {
    description:
      'WARNING: a body has no `{{UNSUBSCRIBE_URL}}` that recipients can use, so a link is appended to each message. It must be the `href` of a link with visible content, or visible text that is only the URL.',
  },
  MERGE_FIELD_UNKNOWN: {
    description: 'WARNING: a merge field has the name of no field. Messages contain its fallback or nothing.',
  },
  MERGE_FIELD_BROKEN: {
    description:
      'WARNING: a text begins like a merge field, or is that of another system, but is not valid. Messages contain it unchanged.',
  },
  SIZE_OVER_102_KB: {
    description: 'WARNING: the HTML of an example message has more than 102 kB. Gmail hides the rest.',
  },
  NO_PREHEADER: {
    description: 'WARNING: the preheader is not set. Inboxes show the beginning of the body after the subject.',
  },
  PICTURE_WITHOUT_ALT: {
    description: 'WARNING: a picture has no alternative text. One that is decoration has an empty text.',
  },
  PICTURE_NOT_SECURE: { description: 'WARNING: a picture has an http URL. Some mail programs do not show it.' },
  PICTURE_HEAVY: {
    description:
      'WARNING: a picture of the media library has more than 200 kB, and takes long to load. A smaller variant may do.',
  },
  LINK_WITHOUT_TARGET: { description: 'WARNING: a link has no address, or only `#`.' },
  LINK_WITHOUT_SCHEME: {
    description: 'WARNING: the address of a link has no scheme, as `www.example.com`, so mail programs do not open it.',
  },
  BLOCK_INCOMPLETE: {
    description: 'WARNING: a block has no picture or no link yet. What is missing is not shown.',
  },
  CONDITION_INVALID: {
    description:
      'WARNING: the condition of a block excludes something that was deleted, or its filter is not valid any more.',
  },
  LOW_CONTRAST: {
    description: 'WARNING: the text of a block has a contrast below 4.5, or below 3 if it is large (WCAG 2.2).',
  },
  CONTENT_OUTDATED: {
    description:
      'WARNING: the body could not be made again after the brand or a reusable block was changed, so messages have the previous one (`Email.compileError`).',
  },
} as const satisfies Record<EmailFindingCode, { description: string }>

/** The fields of a finding, besides its kind and the field that it is about. */
export function findingDetails<Finding extends FindingDetails>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Finding>,
) {
  return {
    mergeField: t.string({
      nullable: true,
      description:
        'The merge field without its fallback, such as `{{NICKNAME}}`; the beginning of a broken one. Null for other findings.',
      resolve: (finding) => finding.mergeField,
    }),
    offset: t.int({
      nullable: true,
      description:
        'Index of the first occurrence of the merge field in `field`, in UTF-16 code units. Null for other findings.',
      resolve: (finding) => finding.offset,
    }),
    path: t.string({
      nullable: true,
      description: 'Path of the block in `content`, such as `sections.0.columns.0.blocks.2`. Null for other findings.',
      resolve: (finding) => finding.path,
    }),
    url: t.string({
      nullable: true,
      description: 'URL of the picture. Null for other findings than PICTURE_HEAVY.',
      resolve: (finding) => finding.url,
    }),
    bytes: t.int({
      nullable: true,
      description: 'Size of the picture in bytes. Null for other findings than PICTURE_HEAVY.',
      resolve: (finding) => finding.bytes,
    }),
  }
}

const FindingCode = builder.enumType('EmailFindingCode', {
  description: 'What was found when an e-mail was checked.',
  values: emailFindingCodes,
})

const FindingSeverity = builder.enumType('EmailFindingSeverity', {
  description: 'Whether a finding prevents that messages are sent.',
  values: {
    ERROR: { description: 'No message of the e-mail can be sent.' },
    WARNING: { description: 'Messages can be sent.' },
  },
})

const FindingField = builder.enumType('EmailFindingField', {
  description: 'A field of an e-mail that a finding is about.',
  values: {
    SUBJECT: { value: 'subject', description: '`subject` of `sequenceStageContentSet`.' },
    PREHEADER: { value: 'preheader', description: '`preheader` of `sequenceStageContentSet`.' },
    FROM_EMAIL: { value: 'fromEmail', description: '`fromEmail` of `sequenceStageContentSet`.' },
    CONTENT: { value: 'content', description: '`content` of `sequenceStageContentSet`.' },
    HTML: { value: 'html', description: '`html` of `sequenceStageContentSet`.' },
    TEXT: { value: 'text', description: '`text` of `sequenceStageContentSet`.' },
  } satisfies Record<string, { value: EmailFinding['field']; description: string }>,
})

const EmailFindingType = builder.objectRef<EmailFinding>('EmailFinding').implement({
  description: 'Something that is wrong with an e-mail.',
  fields: (t) => ({
    code: t.expose('code', { type: FindingCode, description: 'Kind of the finding.' }),
    severity: t.field({
      type: FindingSeverity,
      description: 'Whether the finding prevents that messages are sent. It depends only on `code`.',
      resolve: (finding) => (emailChecks.isError(finding) ? 'ERROR' : 'WARNING'),
    }),
    message: t.string({ description: 'A sentence for people.', resolve: emailChecks.messageOf }),
    field: t.expose('field', { type: FindingField, description: 'The field to correct.' }),
    ...findingDetails(t),
  }),
})

export const EmailCheckType = builder.objectRef<EmailCheck>('EmailCheck').implement({
  description:
    'Result of the check of an e-mail: what prevents that its messages are sent, and what their recipients would notice. Nothing is stored or sent.',
  fields: (t) => ({
    canSend: t.boolean({
      description: 'Whether no finding has the severity ERROR.',
      resolve: ({ findings }) => !findings.some(emailChecks.isError),
    }),
    findings: t.expose('findings', {
      type: [EmailFindingType],
      description:
        'What is wrong, errors first. At most 50 findings about merge fields, 50 about heavy pictures, and one for each block.',
      complexity: listCost('findings'),
    }),
  }),
})

readableWith('EmailCheck', 'sequences:read')
