import { accountEvents } from '../account/events.ts'
import { campaignEvents } from '../campaigns/events.ts'
import { campaignList, completion } from '../campaigns/index.ts'
import { contactEvents } from '../contacts/events.ts'
import { contactPorts, contactTimeline } from '../contacts/index.ts'
import { contentEvents } from '../content/events.ts'
import { contentPorts } from '../content/index.ts'
import { sql } from '../db/sql.ts'
import { call, ports as eventPorts, webhookEvents } from '../events/index.ts'
import { financeEvents } from '../finance/events.ts'
import {
  financeErasure,
  financePorts,
  financeTimeline,
  linkCustomersByEmail,
  mergeCustomers,
  reasonsToKeepContacts,
} from '../finance/index.ts'
import { formEvents } from '../forms/events.ts'
import { confirmationPlaces, formPorts, redaction as formRedaction, formTimeline } from '../forms/index.ts'
import { funnelEvents } from '../funnels/events.ts'
import {
  funnelEmailPlaces,
  redaction as funnelRedaction,
  funnelTimeline,
  newOptIn,
  stepList,
} from '../funnels/index.ts'
import { readInput } from '../graphql/documents/input-values.ts'
import { fillPorts } from '../kernel/ports.ts'
import { mailEvents } from '../mail/events.ts'
import {
  mailErasure,
  mailPorts,
  redaction as mailRedaction,
  mailTimeline,
  mergeMessages,
  recompilation,
  suppressions,
  templateList,
} from '../mail/index.ts'
import { sequenceEvents } from '../sequences/events.ts'
import {
  continueEnrolments,
  enrolments,
  mergeEnrolments,
  PermanentError,
  sequencePorts,
  sequenceTimeline,
  stageEmails,
  stageVerdict,
} from '../sequences/index.ts'
import { contactRelations } from './contact-relations.ts'
import { mediaPlaces } from './media-places.ts'

// Connects the ports of lower modules to operations of higher ones. Import it before any operation runs.
fillPorts(eventPorts, {
  types: {
    ...webhookEvents,
    ...accountEvents,
    ...contactEvents,
    ...contentEvents,
    ...mailEvents,
    ...sequenceEvents,
    ...campaignEvents,
    ...financeEvents,
    ...formEvents,
    ...funnelEvents,
  },
})
const { enrol, enrolAll, leaveAll, mustBeSequences } = enrolments
fillPorts(contactPorts, {
  enrol,
  enrolAll,
  leaveAll,
  mustBeSequences,
  suppressAll: suppressions.suppressAll,
  linkByAddress: linkCustomersByEmail,
  reasonsToKeep: reasonsToKeepContacts,
  ...contactRelations,
  parseFilter: (value) => readInput('ContactFilterInput', value),
  timeline: {
    ...contactTimeline,
    ...mailTimeline,
    ...sequenceTimeline,
    ...financeTimeline,
    ...formTimeline,
    ...funnelTimeline,
  },
  redact: async (tx, contactIds) => {
    // Messages before enrolments: a worker that records a result locks them in this order. The enrolments before the rest
    // of the messages: a job that queues one for an enrolment locks the enrolment until it is stored.
    await mailRedaction.lockMessages(tx, contactIds)
    await enrolments.redact(tx, contactIds)
    await mailRedaction.redact(tx, contactIds)
    await formRedaction.redact(tx, contactIds)
    await funnelRedaction.redact(tx, contactIds)
  },
  merge: async (tx, from, into) => {
    // The same order as above.
    await mailRedaction.lockMessages(tx, [from.id, into.id])
    await mergeEnrolments(tx, from.id, into.id)
    await mergeMessages(tx, from, into)
    await formRedaction.merge(tx, from.id, into.id)
    await funnelRedaction.merge(tx, from.id, into.id)
    await mergeCustomers(tx, from, into)
  },
  identify: async (tx, contactId) => {
    const sales = await financeErasure.refsOf(tx, contactId)
    const emails = await financeErasure.emailsOf(tx, sales['customerId'] ?? [])
    return { refs: { ...sales, ...(await formRedaction.refsOf(tx, contactId)) }, emails }
  },
  erase: async (tx, person, isOptedOut) => {
    await mailErasure.erase(tx, person, isOptedOut)
    await financeErasure.erase(tx, person)
  },
  erasureSteps: [...mailErasure.erasureSteps, ...financeErasure.erasureSteps],
})
fillPorts(contentPorts, {
  mediaPlaces,
  remakeMessages: recompilation.markStale,
  placesOfBlocks: async (ctx, ids) => {
    const all = [
      ...(await campaignList.placesOfBlocks(ctx, ids)),
      ...(await stageEmails.placesOfBlocks(ctx, ids)),
      ...(await confirmationPlaces.placesOfBlocks(ctx, ids)),
      ...(await funnelEmailPlaces.placesOfBlocks(ctx, ids)),
      ...(await templateList.placesOfBlocks(ctx, ids)),
    ]
    return Map.groupBy(all, ({ blockId }) => blockId)
  },
})
fillPorts(mailPorts, {
  unfixedEmails: (ctx) => sql`${campaignList.unfixedEmails(ctx)} UNION ALL ${stageEmails.emailsOf(ctx)}
    UNION ALL ${confirmationPlaces.emailsOf(ctx)} UNION ALL ${funnelEmailPlaces.emailsOf(ctx)}`,
  keepUnfixed: async (tx, emailIds) => [
    ...(await campaignList.keepUnfixed(tx, emailIds)),
    ...(await stageEmails.ofStages(tx, emailIds)),
    ...(await confirmationPlaces.ofForms(tx, emailIds)),
    ...(await funnelEmailPlaces.ofFunnels(tx, emailIds)),
  ],
  announceContent: async (tx, emailIds) => {
    await campaignList.announceContent(tx, emailIds)
    await stageEmails.announceContent(tx, emailIds)
    await confirmationPlaces.announceContent(tx, emailIds)
    await funnelEmailPlaces.announceContent(tx, emailIds)
  },
  countSent: completion.addAccepted,
  advanceEnrolments: continueEnrolments,
  stageVerdict,
  holdActions: () => sql`${campaignList.holdActions} UNION ALL ${stageEmails.holdActions}`,
  finishCampaign: completion.completeIfDone,
  stopCampaign: completion.stop,
})
fillPorts(financePorts, { mustBeStep: stepList.mustBeStep })
fillPorts(formPorts, { completing: newOptIn })
fillPorts(sequencePorts, {
  callUrl: async (ctx, request) => {
    const response = await call(ctx, request)
    if (response === 'forbidden') throw new PermanentError('Calls to this URL are not allowed.')
    if (response.status >= 200 && response.status < 300) return
    const message = `The server responded with status ${response.status}.`
    // Timeouts, rate limits and server errors may pass; any other status is final.
    const isTemporary = response.status >= 500 || [408, 429].includes(response.status)
    throw isTemporary ? new Error(message) : new PermanentError(message)
  },
})
