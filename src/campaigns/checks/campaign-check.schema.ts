import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { checkCost, emailFindingCodes, findingDetails } from '../../mail/checks/email-check.schema.ts'
import { emailChecks } from '../../mail/index.ts'
import { CampaignType } from '../definition/campaign.schema.ts'
import type { CampaignCheck, Finding } from './campaign-check.ts'
import * as campaignChecks from './campaign-check.ts'

const FindingCode = builder.enumType('CampaignFindingCode', {
  description: 'What was found when a campaign was checked.',
  values: {
    ...emailFindingCodes,
    NO_AUDIENCE: { description: 'ERROR: the audience has no condition, or no contact matches it.' },
    AUDIENCE_INVALID: {
      description: 'ERROR: the audience excludes something that was deleted, or its segments have too many conditions.',
    },
    NO_OPTED_IN: { description: 'ERROR: contacts match, but none of them consented to marketing e-mail.' },
    QUOTA_EXCEEDED: {
      description: 'ERROR: the audience exceeds what remains of the monthly quota of recipients or e-mails.',
    },
    BLOCK_HIDDEN: {
      description: 'WARNING: the condition of a block (`showTo`) holds for no recipient, so none sees the block.',
    },
    FREQUENCY_CAP: {
      description:
        'WARNING: contacts of the audience had the maximum number of messages (`Account.frequencyCap`), so theirs wait or are skipped.',
    },
    QUIET_HOURS: {
      description:
        "WARNING: the campaign begins in the quiet hours in the account's time zone (`Account.quietHours`), so messages wait or are skipped.",
    },
    DAY_OFF: {
      description:
        "WARNING: the campaign begins on a day off in the account's time zone (`Account.daysOff`), so messages wait or are skipped.",
    },
    SEND_WINDOW_QUIET: {
      description: 'WARNING: the window of the campaign is within the quiet hours of the account, so it is ignored.',
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
    PREHEADER: { value: 'preheader', description: '`preheader` of `campaignUpdate`.' },
    FROM_EMAIL: { value: 'fromEmail', description: '`fromEmail` of `campaignUpdate`.' },
    AUDIENCE: { value: 'audience', description: '`audience` of `campaignUpdate`.' },
    CONTENT: { value: 'content', description: '`content` of `campaignContentSet`.' },
    HTML: { value: 'html', description: '`html` of `campaignContentSet`.' },
    TEXT: { value: 'text', description: '`text` of `campaignContentSet`.' },
    SEND_WINDOW: { value: 'sendWindow', description: '`sendWindow` of `campaignUpdate`.' },
    FREQUENCY_CAP_ACTION: { value: 'frequencyCapAction', description: '`frequencyCapAction` of `campaignUpdate`.' },
    QUIET_HOURS_ACTION: { value: 'quietHoursAction', description: '`quietHoursAction` of `campaignUpdate`.' },
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
      resolve: emailChecks.messageOf,
    }),
    field: t.expose('field', { type: FindingField, description: 'The field to correct.' }),
    ...findingDetails(t),
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
      description:
        'What is wrong, errors first. At most 50 findings about merge fields, 50 about heavy pictures, and one for each block.',
      complexity: listCost('findings'),
    }),
  }),
})

readableWith('CampaignCheck', 'campaigns:read')

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
