import type { Campaign } from '../../../prisma/generated/client/client.ts'
import { LocalHoursInput } from '../../account/accounts/sending-rules.schema.ts'
import { ContactFilter } from '../../contacts/filters/contact-filter.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { emailBody, emailDetails, emailTopic } from '../../mail/emails/email.schema.ts'
import { holdInput } from '../../mail/recipients/hold.schema.ts'
import { AudienceListsInput } from '../audience/audience.schema.ts'
import { CampaignType, sendWindow, spreadHours } from './campaign.schema.ts'
import * as campaignList from './campaign-list.ts'
import * as campaigns from './campaigns.ts'

const CampaignAudience = builder.inputType('CampaignAudienceInput', {
  description: 'The audience of a campaign. Absent fields stay as they are stored.',
  fields: (t) => ({
    sendToAll: t.boolean({
      description:
        'Whether the campaign is for all contacts. If true, `filter` and `lists` are ignored. Defaults to false if one of them is given.',
    }),
    filter: t.field({
      type: ContactFilter,
      description:
        'The filter that selects the contacts. Replaces the stored filter and the stored lists. Needs the scope `CONTACTS_READ` and the scopes of its fields.',
    }),
    lists: t.field({
      type: AudienceListsInput,
      description:
        'Lists of ids, as the REST API sends them. Each replaces the same stored list, and an empty list removes it. A stored filter stays and must match too. Cannot be combined with `filter`.',
    }),
  }),
})

export const campaignId = (t: InputBuilder) => t.id(requiredId('the campaign'))
export const audience = (t: InputBuilder) =>
  t.field({
    type: CampaignAudience,
    description: 'The audience of the campaign. A filter without any condition matches no contact.',
  })
const details = (t: InputBuilder) => ({
  ...emailDetails(t),
  ...emailTopic(t),
  audience: audience(t),
  sendWindow: t.field({ type: LocalHoursInput, description: `${sendWindow} Null removes them.` }),
  spreadHours: t.int({ description: spreadHours }),
  ...holdInput(t, 'SKIP'),
})
export const campaignPayload = (t: Payload<{ campaign: Campaign }>) => ({
  campaign: t.expose('campaign', { type: CampaignType, description: 'The campaign after the change.' }),
})

mutation('campaignCreate', {
  needs: 'campaigns:write',
  description:
    'Creates a campaign as a draft, with the body of its e-mail if one is given. Returns VALIDATION_ERROR for a body that cannot be rendered.',
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'Internal name of the campaign. Maximum 255 characters.',
    }),
    ...details(t),
    ...emailBody(t),
  }),
  run: campaigns.create,
  outside: 'preparation',
  payload: campaignPayload,
})

mutation('campaignUpdate', {
  needs: 'campaigns:write',
  description:
    'Updates a draft; absent fields stay as they are. A campaign that failed before any message was sent becomes a draft again. Returns INVALID_STATE for any other campaign.',
  input: (t) => ({
    id: campaignId(t),
    name: t.string({ description: 'Internal name of the campaign. Maximum 255 characters.' }),
    ...details(t),
  }),
  run: campaigns.update,
  lock: (tx, { id }) => campaignList.lock(tx, id),
  payload: campaignPayload,
})

mutation('campaignContentSet', {
  needs: 'campaigns:write',
  description:
    'Sets the body of the e-mail of a draft, as a document of blocks or as HTML. Also accepts a campaign that failed before any message was sent, which becomes a draft again, and a campaign that stopped with TEMPLATE_ERROR, which `campaignSend` can then continue. Returns INVALID_STATE for any other campaign, and VALIDATION_ERROR for a body that cannot be rendered.',
  input: (t) => ({
    id: campaignId(t),
    ...emailBody(t),
  }),
  run: campaigns.setContent,
  lock: (tx, { id }) => campaignList.lock(tx, id),
  outside: 'preparation',
  payload: campaignPayload,
})

mutation('campaignDuplicate', {
  needs: 'campaigns:write',
  description:
    'Creates a draft with the e-mail, the audience and the delivery settings of a campaign in any status. Schedule, recipients and statistics are not copied. Throws QUOTA_EXCEEDED if the plan allows no more campaigns.',
  input: (t) => ({
    id: campaignId(t),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: campaigns.duplicate,
  payload: campaignPayload,
})

mutation('campaignArchive', {
  needs: 'campaigns:write',
  description:
    'Archives a draft, or a campaign that was sent or stopped. It stays in lists, statistics and the quota, and can be changed, duplicated and deleted, but not scheduled or sent until `campaignRestore`. Idempotent. Returns CAMPAIGN_SCHEDULED for a scheduled campaign, and INVALID_STATE for a campaign that is being sent.',
  input: (t) => ({ id: campaignId(t) }),
  run: campaigns.archive,
  payload: campaignPayload,
})

mutation('campaignRestore', {
  needs: 'campaigns:write',
  description: 'Restores an archived campaign, in the status that it has. Idempotent.',
  input: (t) => ({ id: campaignId(t) }),
  run: campaigns.restore,
  payload: campaignPayload,
})

mutation('campaignDelete', {
  needs: 'campaigns:write',
  description:
    'Deletes a draft, or a campaign that stopped before any message was sent, with its content. Returns CAMPAIGN_SCHEDULED for a scheduled campaign, and INVALID_STATE for any other.',
  input: (t) => ({ id: campaignId(t) }),
  run: campaigns.remove,
  payload: (t) => deletedNode(t, CampaignType),
})
