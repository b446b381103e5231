import type { Ctx } from '../db/context.ts'

/** The request of a webhook stage. */
export interface WebhookCall {
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

/** The default: webhook stages fail. */
export const ports: Ports = {
  callUrl: async () => {
    throw new PermanentError('This installation does not call other servers.')
  },
}

/** Replaces defaults with the given operations. */
export function fillPorts(operations: Partial<Ports>): void {
  Object.assign(ports, operations)
}
