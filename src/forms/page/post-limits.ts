import { networkOf } from '../../kernel/values/address.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'

/**
 * Counts a post against the limits of the IP address and of the form. Returns undefined if the post is allowed, or else the
 * seconds until the exceeded limit resets.
 */
export async function countPost(
  { posts }: Pick<Limiters, 'posts'>,
  post: { accountId: number; formId: number; ip: string },
): Promise<number | undefined> {
  const { accountId, formId, ip } = post
  // The limit of the address comes first, so that a blocked address does not use up the limit of the form.
  const byAddress = await posts.perAddress.take(`${accountId} ${networkOf(ip)}`, 1)
  if (byAddress.isExceeded) return byAddress.resetSeconds
  const byForm = await posts.perForm.take(`${accountId} ${formId}`, 1)
  return byForm.isExceeded ? byForm.resetSeconds : undefined
}
