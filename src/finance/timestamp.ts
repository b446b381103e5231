import { z } from 'zod'
import type { Ctx } from '../db/context.ts'

const [min, max] = [new Date('1970-01-01T00:00:00Z'), new Date('2199-12-31T23:59:59Z')]

/** A timestamp in the accepted range of years. */
export const timestamp = z.date().refine((time) => time >= min && time <= max, 'must be from 1970 to 2199')

/** A timestamp that is not in the future. */
export function pastTimestamp(ctx: Ctx) {
  return timestamp.refine((time) => time <= ctx.clock.now(), 'must not be in the future')
}
