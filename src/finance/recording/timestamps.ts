import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import type { Clock } from '../../kernel/clock.ts'

const [min, max] = [new Date('1970-01-01T00:00:00Z'), new Date('2199-12-31T23:59:59Z')]

/** A timestamp in the accepted range of years. */
export const timestamp = z.date().refine((time) => time >= min && time <= max, 'must be from 1970 to 2199')

/** A timestamp that is not in the future. */
export function pastTimestamp(clock: Clock) {
  return timestamp.refine((time) => time <= clock.now(), 'must not be in the future')
}

/** Returns rules that depend on the time. They are built once for each clock, because that takes longer than a check. */
export function rulesAt<Rules>(build: (clock: Clock) => Rules): (ctx: Pick<Ctx, 'clock'>) => Rules {
  const built = new WeakMap<Clock, Rules>()
  return ({ clock }) => {
    const rules = built.get(clock) ?? build(clock)
    built.set(clock, rules)
    return rules
  }
}
