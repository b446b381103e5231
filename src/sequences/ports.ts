import type { Ctx } from '../db/context.ts'

/** What a webhook stage tells, and where. */
export interface Call {
  readonly url: string
  readonly body: object
}

/** Something that no further attempt would do. */
export class Undoable extends Error {
  override name = 'Undoable'
}

/** What others add to what stages do. */
export interface Ports {
  /** Posts to an address that a client has given. Fails with Undoable, or with an error where it may work later. */
  callUrl(ctx: Ctx, call: Call): Promise<void>
}

/** How things are while nobody makes calls for us. */
export const ports: Ports = {
  callUrl: async () => {
    throw new Undoable('This installation makes no calls to other servers.')
  },
}

/** Plugs in what others add. */
export function fillPorts(given: Partial<Ports>): void {
  Object.assign(ports, given)
}
