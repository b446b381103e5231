import type { Ctx } from '../db/context.ts'
import { invalid } from '../kernel/errors.ts'

/** What rooms above this one add to its operations, in the same transaction. */
export interface Ports {
  /** The id of the funnel step that a sale names. Fails with VALIDATION_ERROR naming `stepId` where the account has none. */
  mustBeStep(tx: Ctx, stepId: string | number): Promise<number>
}

/** How things are while no room above has steps: then no sale can come from one. */
export const ports: Ports = {
  mustBeStep: async () => {
    throw invalid({ stepId: ['must be the id of a funnel step'] })
  },
}

/** Plugs in what the rooms above add. */
export function fillPorts(given: Partial<Ports>): void {
  Object.assign(ports, given)
}
