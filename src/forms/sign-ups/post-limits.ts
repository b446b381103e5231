import { networkOf } from '../../kernel/values/address.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import type { Limiters, Tally } from '../../kernel/work/rate-limiter.ts'

type Posts = Pick<Limiters, 'posts'>

/** The form of a post, and the IP address of its client. */
export interface PostOrigin {
  readonly accountId: number
  readonly formId: number
  readonly ip: string
}

/** Maximum number per minute of sign-ups to a flooded form that wait for a confirmation by e-mail. */
const maxWaiting = { perAddress: 6, perForm: 60 }

const byNetwork = ({ accountId, ip }: PostOrigin) => `${accountId} ${networkOf(ip)}`
const byForm = ({ accountId, formId }: PostOrigin) => `${accountId} ${formId}`

/**
 * Counts a post against the limits of the IP address and of the form. Returns undefined if the post is allowed, or else the
 * seconds until the exceeded limit resets.
 */
export async function countPost({ posts }: Posts, post: PostOrigin): Promise<number | undefined> {
  // The limit of the address comes first, so that a blocked address does not use up the limit of the form.
  return (
    secondsIf(await posts.perAddress.take(byNetwork(post), 1)) ?? secondsIf(await posts.perForm.take(byForm(post), 1))
  )
}

/** Gives a post that was refused back to the limit of the form. */
export function releasePost({ posts }: Posts, post: PostOrigin): void {
  posts.perForm.release(byForm(post), 1)
}

/** Counts a sign-up. Returns undefined without a flood, or else the seconds until it ends. */
export async function countSignUp({ posts: { flood } }: Posts, post: PostOrigin): Promise<number | undefined> {
  const tallies = await Promise.all([flood.perAddress.take(byNetwork(post), 1), flood.perForm.take(byForm(post), 1)])
  const seconds = tallies.flatMap((tally) => secondsIf(tally) ?? [])
  return seconds.length === 0 ? undefined : Math.max(...seconds)
}

/** Counts a sign-up that waits for a confirmation by e-mail during a flood. Returns as `countPost`. */
export async function countWaiting({ posts }: Posts, post: PostOrigin): Promise<number | undefined> {
  const { perAddress, perForm } = posts
  const points = (limit: number, perMinute: number) => Math.ceil(limit / perMinute)
  return (
    secondsIf(await perAddress.take(`waiting ${byNetwork(post)}`, points(perAddress.limit, maxWaiting.perAddress))) ??
    secondsIf(await perForm.take(`waiting ${byForm(post)}`, points(perForm.limit, maxWaiting.perForm)))
  )
}

/** Counts a post with an e-mail address. Returns as `countPost`. */
export async function countAddress(
  { posts }: Posts,
  { accountId }: PostOrigin,
  email: string,
): Promise<number | undefined> {
  return secondsIf(await posts.perEmail.take(`${accountId} ${addressKey(email)}`, 1))
}

function secondsIf({ isExceeded, resetSeconds }: Tally): number | undefined {
  return isExceeded ? resetSeconds : undefined
}
