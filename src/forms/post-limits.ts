import { networkOf } from '../kernel/address.ts'
import type { Limiters } from '../kernel/limiter.ts'

/**
 * Counts what a visitor posts to a form of an account. Answers undefined where it may go on, and else for how many seconds
 * it is to wait: one address posts too much to this account, or all together too much to this form.
 */
export async function secondsToWait(
  { posts }: Pick<Limiters, 'posts'>,
  post: { accountId: number; formId: number; ip: string },
): Promise<number | undefined> {
  const { accountId, formId, ip } = post
  // Who is held back by its address does not use up what the form takes from others.
  const byAddress = await posts.perAddress.take(`${accountId} ${networkOf(ip)}`, 1)
  if (byAddress.isExceeded) return byAddress.resetSeconds
  const byForm = await posts.perForm.take(`${accountId} ${formId}`, 1)
  return byForm.isExceeded ? byForm.resetSeconds : undefined
}
