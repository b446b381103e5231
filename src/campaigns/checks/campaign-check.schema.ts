import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { CampaignType } from '../definition/campaign.schema.ts'
import type { CampaignCheck, Finding } from './campaign-check.ts'
import * as campaignChecks from './campaign-check.ts'

const FindingCode = builder.enumType('CampaignFindingCode', {
  description: 'What was found when a campaign was checked.',
  values: {
    NO_SUBJECT: { description: 'ERROR: the subject is not set.' },
    SENDER_MISSING: { description: 'ERROR: the e-mail address of the sender is not set.' },
    NO_CONTENT: { description: 'ERROR: the HTML body was never set.' },
    CONTENT_INVALID: {
      description: 'ERROR: the body exceeds a limit of `campaignContentSet`, or cannot be processed in time.',
    },
    SENDER_UNVERIFIED: { description: 'ERROR: the server requires verified sender domains (`senderDomains`).' },
    NO_AUDIENCE: { description: 'ERROR: the audience has no condition, or no contact matches it.' },
    AUDIENCE_INVALID: {
      description: 'ERROR: the audience excludes something that was deleted, or its segments have too many conditions.',
    },
    NO_OPTED_IN: { description: 'ERROR: contacts match, but none of them consented to marketing e-mail.' },
    QUOTA_EXCEEDED: {
      description: 'ERROR: the audience exceeds what remains of the monthly quota of recipients or e-mails.',
    },
    UNSUBSCRIBE_LINK_MISSING: {
      description:
        'WARNING: a body has no `{{UNSUBSCRIBE_URL}}` that recipients can use, so a link is appended to each message. It must be the `href` of a link with visible content, or visible text that is only the URL.',
    },
    MERGE_FIELD_UNKNOWN: {
      description: 'WARNING: a merge field has the name of no field. Messages contain its fallback or nothing.',
    },
    MERGE_FIELD_BROKEN: {
      description: 'WARNING: a text begins like a merge field, but is not valid. Messages contain it unchanged.',
    },
    SIZE_OVER_102_KB: {
      description: 'WARNING: the HTML of an example message has more than 102 kB. Gmail hides the rest.',
    },
  },
})

const FindingSeverity = builder.enumType('CampaignFindingSeverity', {
  description: 'Whether a finding stops a campaign.',
  values: {
    ERROR: { description: 'The campaign cannot be sent, or stops while it is being sent.' },
    WARNING: { description: 'The campaign can be sent.' },
  },
})

const FindingField = builder.enumType('CampaignFindingField', {
  description: 'A field of a campaign that a finding is about.',
  values: {
    SUBJECT: { value: 'subject', description: '`subject` of `campaignUpdate`.' },
    FROM_EMAIL: { value: 'fromEmail', description: '`fromEmail` of `campaignUpdate`.' },
    AUDIENCE: { value: 'audience', description: '`audience` of `campaignUpdate`.' },
    HTML: { value: 'html', description: '`html` of `campaignContentSet`.' },
    TEXT: { value: 'text', description: '`text` of `campaignContentSet`.' },
  } satisfies Record<string, { value: Finding['field']; description: string }>,
})

const CampaignFinding = builder.objectRef<Finding>('CampaignFinding').implement({
  description: 'Something that is wrong with a campaign.',
  fields: (t) => ({
    code: t.expose('code', { type: FindingCode, description: 'Kind of the finding.' }),
    severity: t.field({
      type: FindingSeverity,
      description: 'Whether the finding stops the campaign. It depends only on `code`.',
      resolve: (finding) => (campaignChecks.isError(finding) ? 'ERROR' : 'WARNING'),
    }),
    message: t.string({
      description:
        'A sentence for people. If `campaignSend` refuses the campaign for this reason, its error contains it.',
      resolve: campaignChecks.messageOf,
    }),
    field: t.expose('field', { type: FindingField, description: 'The field to correct.' }),
    mergeField: t.exposeString('mergeField', {
      nullable: true,
      description:
        'The merge field without its fallback, such as `{{NICKNAME}}`; the beginning of a broken one. Null for other findings.',
    }),
    offset: t.exposeInt('offset', {
      nullable: true,
      description:
        'Index of the first occurrence of the merge field in `field`, in UTF-16 code units. Null for other findings.',
    }),
  }),
})

const CampaignCheckType = builder.objectRef<CampaignCheck>('CampaignCheck').implement({
  description: 'Result of the check of a campaign: what would happen if it were sent now. Nothing is stored or sent.',
  fields: (t) => ({
    canSend: t.boolean({
      description: 'Whether no finding has the severity ERROR.',
      resolve: ({ findings }) => !findings.some(campaignChecks.isError),
    }),
    findings: t.expose('findings', {
      type: [CampaignFinding],
      description: 'What is wrong, errors first. At most 50 findings about merge fields.',
      complexity: listCost('findings'),
    }),
  }),
})

readableWith('CampaignCheck', 'campaigns:read')

/** A check renders a message, as a preview does, and counts the audience: as much work as a long page. */
const checkCost = 100

builder.prismaObjectField(CampaignType, 'check', (t) =>
  t.field({
    type: CampaignCheckType,
    nullable: true,
    description:
      'Checks whether the campaign can be sent. Null if the campaign is being sent, was sent, was cancelled or is archived.',
    complexity: checkCost,
    resolve: (campaign, _args, ctx) => campaignChecks.checkCampaign(ctx, campaign),
  }),
)

builder.queryField('campaignCheck', (t) =>
  t.field({
    type: CampaignCheckType,
    nullable: true,
    description:
      'Checks whether a campaign can be sent. Null if the account has no such campaign, or if it is being sent, was sent, was cancelled or is archived.',
    args: { id: t.arg.id(requiredId('the campaign')) },
    complexity: checkCost,
    resolve: (_root, { id }, ctx) => campaignChecks.checkById(ctx, id),
  }),
)
