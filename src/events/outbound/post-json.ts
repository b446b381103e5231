import type { Ctx } from '../../db/context.ts'
import { ForbiddenAddress } from '../../kernel/web/outbound.ts'
import { type HttpResponse, newHttpPoster } from './http-poster.ts'

/** Timeout of the whole request. */
const requestTimeoutMs = 15_000

/** A response, or `forbidden` if the URL is not on the public Internet. */
type PostResult = HttpResponse | 'forbidden'

/**
 * Sends one POST with JSON to a URL of an account, with the restrictions of webhooks: no private networks, no redirects,
 * a limited response and a limited time. Rejects if there is no response; a retry may succeed.
 */
export async function postJson(ctx: Ctx, { url, body }: { url: string; body: object }): Promise<PostResult> {
  const poster = newHttpPoster(ctx.outbound)
  try {
    return await poster.post({
      url: new URL(url),
      headers: { 'content-type': 'application/json', 'user-agent': 'Campanile' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
  } catch (error) {
    if (error instanceof ForbiddenAddress) return 'forbidden'
    throw error
  } finally {
    poster.close()
  }
}
