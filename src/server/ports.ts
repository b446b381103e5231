import { accountEvents } from '../account/events.ts'
import { campaignEvents } from '../campaigns/events.ts'
import { delivery } from '../campaigns/index.ts'
import { contactEvents } from '../contacts/events.ts'
import { contactPorts } from '../contacts/index.ts'
import { call, ports as eventPorts, webhookEvents } from '../events/index.ts'
import { financeEvents } from '../finance/events.ts'
import { financePorts, linkCustomersByEmail, reasonToKeepContact } from '../finance/index.ts'
import { formEvents } from '../forms/events.ts'
import { formPorts, redaction as formRedaction } from '../forms/index.ts'
import { funnelEvents } from '../funnels/events.ts'
import { redaction as funnelRedaction, optIn, stepList } from '../funnels/index.ts'
import { fillPorts } from '../kernel/ports.ts'
import { mailEvents } from '../mail/events.ts'
import { mailPorts, redaction as mailRedaction } from '../mail/index.ts'
import { sequenceEvents } from '../sequences/events.ts'
import { continueEnrolments, enrolments, PermanentError, sequencePorts } from '../sequences/index.ts'
import { contactRelations } from './contact-relations.ts'

// Connects the ports of lower modules to operations of higher ones. Import it before any operation runs.
fillPorts(eventPorts, {
  types: {
    ...webhookEvents,
    ...accountEvents,
    ...contactEvents,
    ...mailEvents,
    ...sequenceEvents,
    ...campaignEvents,
    ...financeEvents,
    ...formEvents,
    ...funnelEvents,
  },
})
const { enrol, enrolAll, leaveAll } = enrolments
fillPorts(contactPorts, {
  enrol,
  enrolAll,
  leaveAll,
  linkByAddress: linkCustomersByEmail,
  reasonToKeep: reasonToKeepContact,
  ...contactRelations,
  redact: async (tx, contactId) => {
    // Messages before enrolments: a worker that records a result locks them in this order. The enrolments before the rest
    // of the messages: a job that queues one for an enrolment locks the enrolment until it is stored.
    await mailRedaction.lockMessages(tx, contactId)
    await enrolments.redact(tx, contactId)
    await mailRedaction.redact(tx, contactId)
    await formRedaction.redact(tx, contactId)
    await funnelRedaction.redact(tx, contactId)
  },
})
fillPorts(mailPorts, {
  countSent: delivery.addAccepted,
  advanceEnrolments: continueEnrolments,
  finishCampaign: delivery.completeIfDone,
  stopCampaign: delivery.stop,
})
fillPorts(financePorts, { mustBeStep: stepList.mustBeStep })
fillPorts(formPorts, { submissionCompleted: optIn })
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
