import { control } from '../campaigns/index.ts'
import { fillContactPorts } from '../contacts/index.ts'
import { call } from '../events/index.ts'
import { fillFinancePorts, linkByAddress, whyKept } from '../finance/index.ts'
import { fillFormPorts } from '../forms/index.ts'
import { optIn, stepList } from '../funnels/index.ts'
import { fillMailPorts } from '../mail/index.ts'
import { enrolments, fillSequencePorts, goOn, Undoable } from '../sequences/index.ts'

// What rooms add to the operations of the rooms below them. Whoever runs operations imports this first.
const { enrol, enrolAll, leaveAll } = enrolments
fillContactPorts({ enrol, enrolAll, leaveAll, linkByAddress, mayDelete: whyKept })
fillMailPorts({
  countSent: control.count,
  advanceEnrolments: goOn,
  finishCampaign: control.settle,
  stopCampaign: control.stop,
})
fillFinancePorts({ mustBeStep: stepList.mustBeStep })
fillFormPorts({ completed: optIn })
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
