import { control } from '../campaigns/index.ts'
import { fillContactPorts } from '../contacts/index.ts'
import { call } from '../events/index.ts'
import { fillFinancePorts, linkByAddress, whyKept } from '../finance/index.ts'
import { fillFormPorts, redaction as formRedaction } from '../forms/index.ts'
import { redaction as funnelRedaction, optIn, stepList } from '../funnels/index.ts'
import { fillMailPorts, redaction as mailRedaction } from '../mail/index.ts'
import { enrolments, fillSequencePorts, goOn, Undoable } from '../sequences/index.ts'

// What rooms add to the operations of the rooms below them. Whoever runs operations imports this first.
const { enrol, enrolAll, leaveAll } = enrolments
fillContactPorts({
  enrol,
  enrolAll,
  leaveAll,
  linkByAddress,
  mayDelete: whyKept,
  redact: async (tx, contactId) => {
    // Messages before enrolments: a worker that records a result locks them in this order. The enrolments before the rest
    // of the messages: a job that queues one for an enrolment locks the enrolment until it is stored.
    await mailRedaction.hold(tx, contactId)
    await enrolments.redact(tx, contactId)
    await mailRedaction.redact(tx, contactId)
    await formRedaction.redact(tx, contactId)
    await funnelRedaction.redact(tx, contactId)
  },
})
fillMailPorts({
  countSent: control.count,
  advanceEnrolments: goOn,
  finishCampaign: control.settle,
  stopCampaign: control.stop,
})
fillFinancePorts({ mustBeStep: stepList.mustBeStep })
fillFormPorts({ submissionCompleted: optIn })
fillSequencePorts({
  callUrl: async (ctx, asked) => {
    const answer = await call(ctx, asked)
    if (answer === 'forbidden') throw new Undoable('The address may not be called.')
    if (answer.status >= 200 && answer.status < 300) return
    const said = `The address answered ${answer.status}.`
    // Whoever is busy or broken may take it later; whoever refuses it will refuse it again.
    throw answer.status >= 500 || [408, 429].includes(answer.status) ? new Error(said) : new Undoable(said)
  },
})
