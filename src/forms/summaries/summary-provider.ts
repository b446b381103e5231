import { z } from 'zod'
import type { Message } from './summary-prompt.ts'

/** An AI provider with an API compatible with OpenAI: `POST <url>/chat/completions`. */
export interface SummaryProvider {
  /** Base URL, without `/chat/completions`. */
  readonly url: string
  readonly key?: string | undefined
  readonly model: string
  readonly timeoutSeconds: number
  /** Allowance of one account for a calendar month, in tokens of prompts and completions. */
  readonly tokensPerMonth: number
}

/** Result of a request. A busy provider can be asked again later; a rejected request must not be repeated. */
export type CompletionResult =
  | { readonly status: 'completed'; readonly text: string; readonly tokens: number }
  | { readonly status: 'busy'; readonly reason: string; readonly retryAfterSeconds: number | undefined }
  | { readonly status: 'rejected'; readonly reason: string }

/** Maximum tokens of a completion. Larger than a summary, because some models write their reasoning first. */
const maxTokens = 2_000

const maxResponseBytes = 256 * 1024

/** HTTP statuses below 500 after which a request can be repeated. */
const retryableStatuses = [408, 409, 425, 429]

const part = z.object({ text: z.string().optional() })
const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.union([z.string(), z.array(part)]).nullish() }) })).min(1),
  usage: z.object({ total_tokens: z.int().min(0).max(10_000_000) }).nullish(),
})

/** Sends a chat completion request. Network errors are returned as a busy provider. `signal` aborts the request. */
export async function requestCompletion(
  provider: SummaryProvider,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<CompletionResult> {
  const result = await sendRequest(provider, messages, 'max_tokens', signal)
  // Newer models of OpenAI use another name for the limit, which most other servers do not support.
  const usesNewName = result.status === 'rejected' && result.reason.includes('max_completion_tokens')
  return usesNewName ? sendRequest(provider, messages, 'max_completion_tokens', signal) : result
}

async function sendRequest(
  { url, key, model, timeoutSeconds }: SummaryProvider,
  messages: readonly Message[],
  limit: 'max_tokens' | 'max_completion_tokens',
  signal: AbortSignal,
): Promise<CompletionResult> {
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      // A redirect would send the key to another server.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, [limit]: maxTokens }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]),
    })
    const body = await readBody(response)
    const { status } = response
    if (status === 200) return parseCompletion(body, messages)
    const reason = `${status} ${body?.slice(0, 300) ?? ''}`
    if (!retryableStatuses.includes(status) && status < 500) return { status: 'rejected', reason }
    return { status: 'busy', reason, retryAfterSeconds: parseRetryAfter(response.headers.get('retry-after')) }
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause
    const reason = [error, cause].flatMap((each) => (each instanceof Error ? [each.message] : [])).join(': ')
    return { status: 'busy', reason, retryAfterSeconds: undefined }
  }
}

/** Returns undefined for a body over the limit, also if its last chunk is the one that exceeds it. */
async function readBody(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxResponseBytes) return undefined
  }
  return Buffer.concat(chunks).toString()
}

function parseCompletion(body: string | undefined, messages: readonly Message[]): CompletionResult {
  if (body === undefined) return { status: 'rejected', reason: `the response has more than ${maxResponseBytes} bytes` }
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return { status: 'rejected', reason: 'the response is not JSON' }
  }
  const completion = Completion.safeParse(json)
  if (!completion.success) return { status: 'rejected', reason: 'the response is not a chat completion' }
  const { choices, usage } = completion.data
  const content = choices[0]?.message.content ?? ''
  const text = typeof content === 'string' ? content : content.map((each) => each.text ?? '').join('')
  return { status: 'completed', text, tokens: usage?.total_tokens ?? estimateTokens(messages, text) }
}

/** Estimates the tokens of a request if the provider does not report them. A token has about four characters. */
function estimateTokens(messages: readonly Message[], text: string): number {
  const length = messages.reduce((sum, { content }) => sum + content.length, text.length)
  return Math.ceil(length / 4)
}

/** Converts a Retry-After header, which contains seconds or a date, to seconds. */
function parseRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(Math.ceil((time - Date.now()) / 1_000), 0)
}
