import { control } from '../campaigns/index.ts'
import { fillContactPorts } from '../contacts/index.ts'
import { call } from '../events/index.ts'
import { fillFinancePorts, linkByAddress, whyKept } from '../finance/index.ts'
import { fillFormPorts } from '../forms/index.ts'
import { optIn, stepList } from '../funnels/index.ts'
import { fillMailPorts } from '../mail/index.ts'
import { enrolments, fillSequencePorts, goOn, Undoable } from '../sequences/index.ts'

// Operations of higher modules that lower modules call through their ports. Import this file before running operations.
const { enrol, enrolAll, leaveAll } = enrolments
fillContactPorts({ enrol, enrolAll, leaveAll, linkByAddress, mayDelete: whyKept })
fillMailPorts({ count: control.count, goOn, settled: control.settle, stopped: control.stop })
fillFinancePorts({ mustBeStep: stepList.mustBeStep })
fillFormPorts({ completed: optIn })
fillSequencePorts({
  callUrl: async (ctx, request) => {
    const response = await call(ctx, request)
    if (response === 'forbidden') throw new Undoable('The address may not be called.')
    const { status } = response
    if (status >= 200 && status < 300) return
    const message = `The address answered ${status}.`
    // Only errors of a busy or broken server are worth a retry.
    throw status >= 500 || [408, 429].includes(status) ? new Error(message) : new Undoable(message)
  },
})
