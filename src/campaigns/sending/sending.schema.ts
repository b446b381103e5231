import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { audience, campaignId, campaignPayload } from '../definition/campaign-mutations.schema.ts'
import * as pausing from './pausing.ts'
import * as sending from './sending.ts'

builder.prismaObjectFields('Campaign', (t) => ({
  scheduledForLocal: t.string({
    nullable: true,
    description: "`scheduledFor` as local time in the account's time zone, in the format `YYYY-MM-DD HH:MM:SS`.",
    resolve: (campaign, _args, ctx) => sending.formatScheduledFor(ctx, campaign),
  }),
}))

mutation('campaignSchedule', {
  needs: 'campaigns:write',
  description:
    'Schedules a draft, or reschedules a scheduled campaign. Returns INVALID_DATE for a time that is malformed, does not exist or is in the past, and INVALID_STATE for an archived campaign and for a campaign in any other status.',
  input: (t) => ({
    id: campaignId(t),
    scheduledFor: t.string({
      required: true,
      description:
        "Time to send the campaign: ISO 8601 in its extended or basic format, or `YYYY-MM-DD HH:MM`. A time without an offset is local time in the account's time zone. If that local time occurs twice, the second occurrence is used; if daylight saving skips it, it moves forward by the length of the gap.",
    }),
    inContactZones: t.boolean({
      description:
        'Whether `scheduledFor` is local time in the time zone of each contact, or in that of the account if the contact has none. It must have no offset then. Sending begins when it is that time in the first time zone, UTC+14, or at once if that has passed: the recipients are those of the audience at that moment. Contacts for which the local time has passed by then get the message at once. Defaults to false.',
    }),
    audience: audience(t),
  }),
  run: sending.schedule,
  payload: campaignPayload,
})

mutation('campaignUnschedule', {
  needs: 'campaigns:write',
  description: 'Makes a scheduled campaign a draft again. Returns INVALID_STATE if the campaign is not scheduled.',
  input: (t) => ({ id: campaignId(t) }),
  run: sending.unschedule,
  payload: campaignPayload,
})

mutation('campaignSend', {
  needs: 'campaigns:write',
  description:
    'Sends a campaign now: its current audience becomes its recipients. In an account with more than 10,000 contacts, recipients are added in the background: a contact becomes one if it exists now and matches the audience when it is added. A campaign that stopped with an error continues with its open recipients. If subject, sender address or content is missing, or if the audience is empty, it returns VALIDATION_ERROR, `details` names what is missing, and no changes are made. Returns INVALID_STATE for a campaign that is being sent, was sent, was cancelled or is archived.',
  input: (t) => ({
    id: campaignId(t),
    audience: audience(t),
    errorAsStatus: t.boolean({
      description:
        'Whether a campaign that cannot be sent gets the status ERROR, with the reason in `errorCode`, instead of VALIDATION_ERROR. The REST API sends campaigns this way. Defaults to false.',
    }),
  }),
  run: sending.send,
  outside: 'preparation',
  payload: campaignPayload,
})

mutation('campaignPause', {
  needs: 'campaigns:write',
  description:
    'Pauses a campaign that is being sent. Messages that are being sent at this moment are still sent; the others wait for `campaignResume`. The status stays SENDING and `pausedAt` is set. Idempotent. Returns INVALID_STATE if the status is not SENDING.',
  input: (t) => ({ id: campaignId(t) }),
  run: pausing.pause,
  payload: campaignPayload,
})

mutation('campaignResume', {
  needs: 'campaigns:write',
  description: 'Resumes a paused campaign. Idempotent. Returns INVALID_STATE if the status is not SENDING.',
  input: (t) => ({ id: campaignId(t) }),
  run: pausing.resume,
  payload: campaignPayload,
})

mutation('campaignCancel', {
  needs: 'campaigns:write',
  description:
    'Cancels a campaign permanently. It must be in status SENDING, or ERROR with another code than CANCELLED. Its status becomes ERROR with the code CANCELLED, and its waiting recipients are skipped. Returns INVALID_STATE for any other campaign.',
  input: (t) => ({ id: campaignId(t) }),
  run: pausing.cancel,
  payload: campaignPayload,
})

mutation('campaignSendUnknown', {
  needs: 'campaigns:write',
  description:
    'Sends a campaign again to its recipients in state UNKNOWN: a process died, or a connection broke, while the mail server had their message. A recipient that already got the message gets it again with the same Message-ID. Returns INVALID_STATE for a campaign that was not sent, was cancelled or is archived.',
  input: (t) => ({ id: campaignId(t) }),
  run: sending.sendUnknown,
  payload: (t) => ({
    ...campaignPayload(t),
    count: t.exposeInt('count', { description: 'Number of recipients that are sent the message again.' }),
  }),
})
