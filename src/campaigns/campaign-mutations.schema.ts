import type { Campaign } from '../../prisma/generated/client/client.ts'
import { builder, type Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { AudienceFilterInput } from './audience.schema.ts'
import { CampaignType } from './campaign.schema.ts'
import { campaignList, campaigns, control, sending } from './index.ts'

const CampaignAudience = builder.inputType('CampaignAudience', {
  description: 'Whom a campaign is for. What is not given stays as it was set before.',
  fields: (t) => ({
    sendToAll: t.boolean({
      description: 'Everyone, whatever the filter says. False where absent while a filter is given.',
    }),
    filter: t.field({ type: AudienceFilterInput, description: 'Whom to choose; an empty list takes a list away.' }),
  }),
})

const which = (t: InputBuilder) => t.id({ required: true, description: 'The campaign, by global id or integer.' })
const audience = (t: InputBuilder) =>
  t.field({ type: CampaignAudience, description: 'Whom it is for; a filter without any list is for nobody.' })
const details = (t: InputBuilder) => ({
  subject: t.string({ description: 'What its e-mail is about: one line.' }),
  fromName: t.string({ description: "Whom its e-mail comes from, by name; a new campaign starts with the account's." }),
  fromEmail: t.string({ description: 'The same by address.' }),
  audience: audience(t),
})
const changed = (t: PothosSchemaTypes.ObjectFieldBuilder<Schema, { campaign: Campaign }>) => ({
  campaign: t.field({
    type: CampaignType,
    description: 'The campaign after this.',
    resolve: asOfNow(campaignList.byId, (result: { campaign: Campaign }) => result.campaign),
  }),
})

/** What an HTML body may hold, for readers of the API. */
const htmlLimits =
  'The HTML body. Maximum 1,000,000 characters, 50,000 elements (200 inside each other, 250 attributes on one), 20,000 merge fields, and 20,000 links to 5,000 addresses.'

mutation('campaignCreate', {
  needs: 'campaigns:write',
  description: 'Makes a campaign, as a draft.',
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'What it is called among those who send it: 255 characters at most.',
    }),
    ...details(t),
  }),
  run: campaigns.create,
  payload: changed,
})

mutation('campaignUpdate', {
  needs: 'campaigns:write',
  description:
    'Changes a draft: only what is sent. A campaign that failed before it reached anyone becomes a draft again; any other is NOT_FOUND.',
  input: (t) => ({
    id: which(t),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    ...details(t),
  }),
  run: campaigns.update,
  payload: changed,
})

mutation('campaignContentSet', {
  needs: 'campaigns:write',
  description:
    'Sets what a campaign sends. The campaign is a draft; or it failed before it reached anyone, and becomes a draft again; or it stopped with TEMPLATE_ERROR, and can be sent on to its open recipients. Any other is NOT_FOUND. A body that cannot be rendered is refused with VALIDATION_ERROR.',
  input: (t) => ({
    id: which(t),
    html: t.string({ required: true, description: htmlLimits }),
    text: t.string({ description: 'The plain text beside it; where it was never set it is made from the HTML.' }),
  }),
  run: campaigns.setContent,
  payload: changed,
})

mutation('campaignSchedule', {
  needs: 'campaigns:write',
  description:
    'Plans a draft for later, or a scheduled campaign for another time. Fails with INVALID_DATE for a time that cannot be read, does not exist or has passed; a campaign in any other status is NOT_FOUND.',
  input: (t) => ({
    id: which(t),
    scheduledFor: t.string({
      required: true,
      description:
        "ISO 8601 in its extended or basic format, or `YYYY-MM-DD HH:MM`. Without an offset it is read on the clocks of the account's zone: a time that they show twice is the second one, one that they pass over is as much later.",
    }),
    audience: audience(t),
  }),
  run: sending.schedule,
  payload: changed,
})

mutation('campaignUnschedule', {
  needs: 'campaigns:write',
  description: 'Makes a scheduled campaign a draft again. One that is not scheduled is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: sending.unschedule,
  payload: changed,
})

mutation('campaignRevise', {
  needs: 'campaigns:write',
  description:
    'Makes a draft again of a campaign that failed before it reached anyone, so that what it lacked can be mended. Any other, and a cancelled one, is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: sending.revise,
  payload: changed,
})

mutation('campaignSend', {
  needs: 'campaigns:write',
  description:
    'Sends a campaign now: its current audience becomes its recipients. Without subject, sender address or content, or with an empty audience, it is refused with VALIDATION_ERROR, whose `details` name what is missing, and stays as it was. A campaign that has stopped is resumed. One that is on its way, sent or cancelled is NOT_FOUND.',
  input: (t) => ({
    id: which(t),
    audience: audience(t),
    errorAsStatus: t.boolean({
      description:
        'Accepts a campaign that cannot be sent: its status is ERROR afterwards, and `errorCode` gives the reason. The REST API sends campaigns this way. Defaults to false.',
    }),
  }),
  run: sending.send,
  timeoutMs: sending.longestBeginning,
  payload: changed,
})

mutation('campaignPause', {
  needs: 'campaigns:write',
  description:
    'Lets a campaign rest that is on its way: what is not being handed over at this moment waits for `campaignResume`. Its status stays SENDING, with `pausedAt`. One that is not on its way is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: control.pause,
  payload: changed,
})

mutation('campaignResume', {
  needs: 'campaigns:write',
  description: 'Lets a campaign go on that rests. One that is not on its way is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: control.resume,
  payload: changed,
})

mutation('campaignCancel', {
  needs: 'campaigns:write',
  description:
    'Stops a campaign for good that is on its way, or has stopped by itself: its status is ERROR with the code CANCELLED, and whoever waited for it is left out. Any other is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: control.cancel,
  payload: changed,
})

mutation('campaignSendUnknown', {
  needs: 'campaigns:write',
  description:
    'Sends a campaign to the recipients whose state is UNKNOWN: a process died, or a connection broke, while a mail server had their message. Who got it gets it again, under the same Message-ID. A campaign that was not sent, or was cancelled, is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: control.sendUnknown,
  payload: (t) => ({
    ...changed(t),
    count: t.exposeInt('count', { description: 'How many recipients these are.' }),
  }),
})

mutation('campaignDelete', {
  needs: 'campaigns:write',
  description:
    'Deletes a draft, or a campaign that stopped before it reached anyone, with its content. Fails with CAMPAIGN_SCHEDULED for one that is scheduled; any other is NOT_FOUND.',
  input: (t) => ({ id: which(t) }),
  run: campaigns.remove,
  payload: (t) => ({ databaseId: t.exposeInt('databaseId', { description: 'The integer that the campaign had.' }) }),
})
