import type { Ctx } from '../db/context.ts'
import { newPorts } from '../kernel/ports.ts'

/** Operations that higher modules supply. They run in the same transaction. */
export interface Ports {
  /** Returns the integer id of the funnel step of a sale. Throws VALIDATION_ERROR on `stepId` if it does not exist. */
  mustBeStep(tx: Ctx, stepId: string | number): Promise<number>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('finance')
