import { delivery } from '../campaigns/index.ts'
import { fillContactPorts } from '../contacts/index.ts'
import { call } from '../events/index.ts'
import { fillFinancePorts, linkCustomersByEmail, reasonToKeepContact } from '../finance/index.ts'
import { fillFormPorts } from '../forms/index.ts'
import { optIn, stepList } from '../funnels/index.ts'
import { fillMailPorts } from '../mail/index.ts'
import { continueEnrolments, enrolments, fillSequencePorts, PermanentError } from '../sequences/index.ts'

// Connects the ports of lower modules to operations of higher ones. Import it before any operation runs.
const { enrol, enrolAll, leaveAll } = enrolments
fillContactPorts({ enrol, enrolAll, leaveAll, linkByAddress: linkCustomersByEmail, mayDelete: reasonToKeepContact })
fillMailPorts({
  count: delivery.addAccepted,
  goOn: continueEnrolments,
  settled: delivery.completeIfDone,
  stopped: delivery.stop,
})
fillFinancePorts({ mustBeStep: stepList.mustBeStep })
fillFormPorts({ completed: optIn })
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
