import { delivery } from '../campaigns/index.ts'
import { fillContactPorts } from '../contacts/index.ts'
import { call } from '../events/index.ts'
import { fillFinancePorts, linkCustomersByEmail, reasonToKeepContact } from '../finance/index.ts'
import { fillFormPorts, redaction as formRedaction } from '../forms/index.ts'
import { redaction as funnelRedaction, optIn, stepList } from '../funnels/index.ts'
import { fillMailPorts, redaction as mailRedaction } from '../mail/index.ts'
import { continueEnrolments, enrolments, fillSequencePorts, PermanentError } from '../sequences/index.ts'

// Connects the ports of lower modules to operations of higher ones. Import it before any operation runs.
const { enrol, enrolAll, leaveAll } = enrolments
fillContactPorts({
  enrol,
  enrolAll,
  leaveAll,
  linkByAddress: linkCustomersByEmail,
  reasonToKeep: reasonToKeepContact,
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
fillMailPorts({
  countSent: delivery.addAccepted,
  advanceEnrolments: continueEnrolments,
  finishCampaign: delivery.completeIfDone,
  stopCampaign: delivery.stop,
})
fillFinancePorts({ mustBeStep: stepList.mustBeStep })
fillFormPorts({ submissionCompleted: optIn })
fillSequencePorts({
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
