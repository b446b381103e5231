import type { Ctx } from '../../db/context.ts'
import { Forbidden } from '../../kernel/outbound.ts'
import { type Answer, newPoster } from './endpoint-post.ts'

/** How long one call may take in all, in milliseconds. */
const patience = 15_000

/** What became of a call: answered, or not to be made at all. Anything else may work later, and is thrown. */
export type Called = Answer | 'forbidden'

/**
 * Posts JSON once to an address that an account has named, under the same care as webhooks: no private networks, no
 * redirects, a bounded answer, and a bounded time. Rejects where no answer came.
 */
export async function call(ctx: Ctx, { url, body }: { url: string; body: object }): Promise<Called> {
  const poster = newPoster(ctx.outbound)
  try {
    return await poster.post({
      url: new URL(url),
      headers: { 'content-type': 'application/json', 'user-agent': 'Campanile' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    })
  } catch (error) {
    if (error instanceof Forbidden) return 'forbidden'
    throw error
  } finally {
    poster.close()
  }
}
