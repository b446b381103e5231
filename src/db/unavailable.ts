import { Unavailable } from '../kernel/errors.ts'
import { type Outage, outageOf } from './driver/index.ts'

/** Seconds after which a client should repeat the request. */
const retryAfterSeconds = 2

const messages: Readonly<Record<Outage, string>> = {
  unreached: 'The database does not answer at the moment. No changes were made. Try again in a moment.',
  lost: 'The database did not answer in time. If the request makes changes, they may have been applied: repeat it with the same Idempotency-Key.',
}

/** Returns UNAVAILABLE for an error that means that the database is unavailable. Returns undefined for other errors. */
export function unavailable(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error
  const outage = outageOf(error)
  return outage && new Unavailable(messages[outage], retryAfterSeconds)
}
