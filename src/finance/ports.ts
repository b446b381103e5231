import type { Ctx } from '../db/context.ts'
import { invalid } from '../kernel/errors.ts'

/** Operations that higher modules supply. They run in the same transaction. */
export interface Ports {
  /** Returns the integer id of the funnel step of a sale. Throws VALIDATION_ERROR on `stepId` if it does not exist. */
  mustBeStep(tx: Ctx, stepId: string | number): Promise<number>
}

/** The default: there are no funnel steps. */
export const ports: Ports = {
  mustBeStep: async () => {
    throw invalid({ stepId: ['must be the id of a funnel step'] })
  },
}

/** Replaces defaults with the given operations. */
export function fillPorts(operations: Partial<Ports>): void {
  Object.assign(ports, operations)
}
