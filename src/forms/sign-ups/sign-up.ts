import type { Challenge } from 'altcha-lib/types'
import type { Ctx } from '../../db/context.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { newChallenge, parseProof, useChallenge, verifyProof } from './challenge.ts'
import { countAddress, countSignUp, countWaiting, type PostOrigin, releasePost } from './post-limits.ts'

/** A post of a visitor that starts or completes a submission, or that contains an e-mail address. */
export interface SignUp extends PostOrigin {
  /** The valid e-mail address in it. */
  readonly email: string | undefined
  /** The field of the proof. */
  readonly proof: string | undefined
  /** Whether a confirmation by e-mail can replace the proof. */
  readonly canConfirm: boolean
  /** Whether another site sent the post. */
  readonly isForeign: boolean
}

/** Why a sign-up is not accepted now. */
export interface SignUpRefusal {
  readonly message: string
  /** Seconds after which the client can try again without a proof. */
  readonly retryAfterSeconds: number
  /** The challenge whose solution makes the sign-up acceptable at once. */
  readonly challenge?: Challenge
}

/** Whether a sign-up is accepted, and whether its address must be confirmed by e-mail, whatever the settings of the account. */
type SignUpVerdict =
  | { readonly refusal?: undefined; readonly requiresProof: boolean }
  | { readonly refusal: SignUpRefusal }

/**
 * Decides about a sign-up. During a flood it needs a proof of work, or waits for a confirmation by e-mail. A challenge is used up
 * with the first post that has its solution. Runs a statement only then.
 */
export async function judgeSignUp(ctx: Ctx, limiters: Pick<Limiters, 'posts'>, signUp: SignUp): Promise<SignUpVerdict> {
  const { email } = signUp
  const floodSeconds = await countSignUp(limiters, signUp)
  const verdict = floodSeconds === undefined ? accepted : await judgeInFlood(ctx, limiters, signUp, floodSeconds)
  // A flood leaves the limit of the form to others.
  if (verdict.refusal) releasePost(limiters, signUp)
  if (verdict.refusal || email === undefined) return verdict
  const seconds = await countAddress(limiters, signUp, email)
  return seconds === undefined ? verdict : refused('Too many answers were sent with this e-mail address.', seconds)
}

const accepted: SignUpVerdict = { requiresProof: false }

async function judgeInFlood(
  ctx: Ctx,
  limiters: Pick<Limiters, 'posts'>,
  signUp: SignUp,
  floodSeconds: number,
): Promise<SignUpVerdict> {
  const { proof, canConfirm, isForeign } = signUp
  const claim = parseProof(proof)
  const proven = claim && (await verifyProof(ctx, signUp, claim))
  if (claim && proven === 'received' && canConfirm) {
    const seconds = await countWaiting(limiters, signUp)
    if (seconds !== undefined) return refused('This form gets too many answers.', seconds)
  }
  const isAcceptable = proven === 'solved' || (proven === 'received' && canConfirm)
  if (claim && isAcceptable && (await useChallenge(ctx, claim))) return { requiresProof: proven !== 'solved' }
  const challenge = await newChallenge(ctx, signUp, isForeign)
  const message =
    'This form gets many answers at the moment. Solve the challenge, and send yours again with the solution.'
  return { refusal: { message, retryAfterSeconds: floodSeconds, challenge } }
}

function refused(reason: string, seconds: number): SignUpVerdict {
  const wait = seconds === 1 ? 'a second' : `${seconds} seconds`
  return { refusal: { message: `${reason} Please try again in ${wait}.`, retryAfterSeconds: seconds } }
}
