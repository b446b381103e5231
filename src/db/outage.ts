import { Unavailable } from '../kernel/errors.ts'
import { type Outage, outageOf } from './unavailable.ts'

/** After how long a client is to try again, in seconds. */
const retryAfterSeconds = 2

const messages: Readonly<Record<Outage, string>> = {
  unreached: 'The database does not answer at the moment. No changes were made. Try again in a moment.',
  lost: 'The database did not answer in time. If the request makes changes, they may have been applied: repeat it with the same Idempotency-Key.',
}

/** UNAVAILABLE in place of an error of the database that is no answer; undefined where the error is of another kind. */
export function unavailable(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error
  const outage = outageOf(error)
  return outage && new Unavailable(messages[outage], retryAfterSeconds)
}
