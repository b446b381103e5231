import { z } from 'zod'
import type { Message } from './summary-prompt.ts'

/** A model that is reached as OpenAI's are: `POST <url>/chat/completions`. */
export interface Provider {
  /** Without `/chat/completions`. */
  readonly url: string
  readonly key?: string | undefined
  readonly model: string
  /** How long an answer may take. */
  readonly timeoutSeconds: number
  /** How much may be asked for one account in a calendar month: tokens of questions and answers. */
  readonly tokensPerMonth: number
}

/** What came of asking: a text, "ask again later", or "do not ask again". */
export type Verdict =
  | { readonly is: 'answered'; readonly text: string; readonly tokens: number }
  | { readonly is: 'busy'; readonly reason: string; readonly retryAfterSeconds: number | undefined }
  | { readonly is: 'refused'; readonly reason: string }

/** The most tokens of an answer: far more than a summary has, for some models think aloud first. */
const mostTokens = 2_000

/** How much of an answer is read, in bytes. */
const longestAnswer = 256 * 1024

/** Answers that say "later", whatever is asked. */
const later = [408, 409, 425, 429]

const part = z.object({ text: z.string().optional() })
const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.union([z.string(), z.array(part)]).nullish() }) })).min(1),
  usage: z.object({ total_tokens: z.int().min(0).max(10_000_000) }).nullish(),
})

/** Asks a model. What goes wrong on the way is a verdict too; `signal` breaks it off. */
export async function ask(provider: Provider, messages: readonly Message[], signal: AbortSignal): Promise<Verdict> {
  const verdict = await askOnce(provider, messages, 'max_tokens', signal)
  // Newer models of OpenAI know the limit by another name, which most other servers do not know.
  const isOther = verdict.is === 'refused' && verdict.reason.includes('max_completion_tokens')
  return isOther ? askOnce(provider, messages, 'max_completion_tokens', signal) : verdict
}

async function askOnce(
  { url, key, model, timeoutSeconds }: Provider,
  messages: readonly Message[],
  limit: 'max_tokens' | 'max_completion_tokens',
  signal: AbortSignal,
): Promise<Verdict> {
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      // A redirect would take the key along.
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, messages, [limit]: mostTokens }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1_000)]),
    })
    const body = await read(response)
    const { status } = response
    if (status === 200) return answerOf(body, messages)
    const reason = `${status} ${body.slice(0, 300)}`
    if (!later.includes(status) && status < 500) return { is: 'refused', reason }
    return { is: 'busy', reason, retryAfterSeconds: secondsOf(response.headers.get('retry-after')) }
  } catch (error) {
    const cause = (error as { cause?: unknown }).cause
    const reason = [error, cause].flatMap((each) => (each instanceof Error ? [each.message] : [])).join(': ')
    return { is: 'busy', reason, retryAfterSeconds: undefined }
  }
}

async function read(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > longestAnswer) break
  }
  return Buffer.concat(chunks).toString()
}

function answerOf(body: string, messages: readonly Message[]): Verdict {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return { is: 'refused', reason: 'the answer is no JSON, or longer than any summary' }
  }
  const completion = Completion.safeParse(json)
  if (!completion.success) return { is: 'refused', reason: 'the answer is no chat completion' }
  const { choices, usage } = completion.data
  const content = choices[0]?.message.content ?? ''
  const text = typeof content === 'string' ? content : content.map((each) => each.text ?? '').join('')
  return { is: 'answered', text, tokens: usage?.total_tokens ?? guessed(messages, text) }
}

/** A token is some four characters; who does not count for us is not asked for free. */
function guessed(messages: readonly Message[], text: string): number {
  const length = messages.reduce((sum, { content }) => sum + content.length, text.length)
  return Math.ceil(length / 4)
}

/** The seconds of a Retry-After, which may name a moment instead. */
function secondsOf(given: string | null): number | undefined {
  if (given === null) return undefined
  if (/^\d{1,9}$/.test(given)) return Number(given)
  const moment = Date.parse(given)
  return Number.isNaN(moment) ? undefined : Math.max(Math.ceil((moment - Date.now()) / 1_000), 0)
}
