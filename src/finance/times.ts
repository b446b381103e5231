import { z } from 'zod'
import type { Ctx } from '../db/context.ts'

const [first, last] = [new Date('1970-01-01T00:00:00Z'), new Date('2199-12-31T23:59:59Z')]

/** A moment that a calendar of ours has. */
export const moment = z.date().refine((time) => time >= first && time <= last, 'must be from 1970 to 2199')

/** When something was made that may be told of later: not after now. */
export function past(ctx: Ctx) {
  return moment.refine((time) => time <= ctx.clock.now(), 'must not be in the future')
}
