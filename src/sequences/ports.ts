import type { Ctx } from '../db/context.ts'
import { newPorts } from '../kernel/ports.ts'

/** The request of a webhook stage. */
interface WebhookCall {
  readonly url: string
  readonly body: object
}

/** A failure that a further attempt would not change. */
export class PermanentError extends Error {
  override name = 'PermanentError'
}

/** Operations that the composition root supplies. */
export interface Ports {
  /** Sends a POST to a URL that a client set. Throws PermanentError, or another error if a later attempt may succeed. */
  callUrl(ctx: Ctx, call: WebhookCall): Promise<void>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('sequences')
