import type { System } from '../../db/context.ts'
import { loop } from '../../kernel/loop.ts'
import type { Metrics } from '../../kernel/metrics.ts'
import { Forbidden } from '../../kernel/outbound.ts'
import { judge, type Outcome } from './deliver-plan.ts'
import { type Claimed, claim, keepBody, release, settle } from './deliver-queue.ts'
import { newPoster, type Poster } from './endpoint-post.ts'
import { bodyOf } from './webhook-body.ts'
import { needsOfBodies } from './webhook-list.ts'
import { signatureHeaders, unsealSecret } from './webhook-signature.ts'

/** How much one process has on its way at once, in all, to one endpoint, to those of one account; and to failing ones. */
const most = { inAll: 50, perWebhook: 5, perAccount: 20, toFailing: 20 }

/** How long an attempt may take, from resolving the name to the end of the answer. */
const usualPatience = 15_000

/** How long what is on its way may take once the process is told to stop. */
const drainMilliseconds = 3_000

/** What a test puts in the place of chance, and of long waits. */
export interface DeliverySeams {
  readonly random?: (() => number) | undefined
  readonly patience?: number | undefined
}

/** The sender of what webhooks are told. */
export interface Deliveries {
  wake(): void
  stop(): Promise<void>
}

/**
 * Sends what is due to webhooks, in any number of processes, until stopped. What is on its way then is finished if that is
 * soon, and given back otherwise.
 *
 * A message is sent at least once: a process that dies between a receiver's answer and its record leaves it to be sent
 * again, under the same `webhook-id`.
 */
export function runDeliveries(system: System, metrics: Metrics, seams: DeliverySeams = {}): Deliveries {
  const poster = newPoster(system.outbound)
  const abort = new AbortController()
  const underway = new Map<Claimed, Promise<void>>()
  const sender = senderOf(system, poster, metrics, { ...seams, stopping: abort.signal })

  const work = async (): Promise<boolean> => {
    const room = roomBeside([...underway.keys()])
    if (room.free <= 0) return false
    const claimed = await claim(system, room)
    for (const each of claimed) {
      const sending = sender(each).finally(() => {
        underway.delete(each)
        deliveries.wake()
      })
      underway.set(each, sending)
    }
    return false
  }
  const deliveries = loop('deliveries', work, { log: system.log })
  return {
    wake: deliveries.wake,
    stop: async () => {
      await deliveries.stop()
      const timer = setTimeout(() => abort.abort(), drainMilliseconds)
      await Promise.allSettled(underway.values())
      clearTimeout(timer)
      poster.close()
    },
  }
}

function roomBeside(underway: readonly Claimed[]) {
  const busy = new Map<string, { accountId: number; webhookId: number; n: number }>()
  let failing = 0
  for (const { accountId, webhookId, isFailing } of underway) {
    const key = `${accountId} ${webhookId}`
    busy.set(key, { accountId, webhookId, n: (busy.get(key)?.n ?? 0) + 1 })
    if (isFailing) failing += 1
  }
  return {
    free: most.inAll - underway.length,
    perWebhook: most.perWebhook,
    perAccount: most.perAccount,
    freeForFailing: Math.max(most.toFailing - failing, 0),
    busy: [...busy.values()],
  }
}

interface SenderOptions extends DeliverySeams {
  readonly stopping: AbortSignal
}

/** Makes one attempt and writes down what came of it; never rejects. */
function senderOf(system: System, poster: Poster, metrics: Metrics, options: SenderOptions) {
  const { random = Math.random, patience = usualPatience, stopping } = options
  return async (claimed: Claimed): Promise<void> => {
    const { accountId, webhookId, messageId } = claimed
    try {
      const outcome = await attempt(system, poster, claimed, () =>
        AbortSignal.any([stopping, AbortSignal.timeout(patience)]),
      )
      if (outcome === undefined) return
      if (outcome.status === undefined && stopping.aborted) return await release(system, claimed)
      const verdict = judge(outcome, claimed.step, system.clock.now(), random)
      await settle(system, claimed, outcome, verdict)
      metrics.delivery(verdict.state === 'PENDING' ? 'retried' : verdict.state === 'FAILED' ? 'failed' : 'delivered')
    } catch (error) {
      // Nothing is lost: the lease runs out, and the message is sent again under the same name.
      system.log.error({ err: error, accountId, webhookId, messageId }, 'the outcome of a delivery could not be kept')
    }
  }
}

/** Sends a delivery once; answers nothing where it is no longer ours to send. */
async function attempt(
  system: System,
  poster: Poster,
  claimed: Claimed,
  newSignal: () => AbortSignal,
): Promise<Outcome | undefined> {
  const { accountId, webhookId, messageId } = claimed
  const startedAt = performance.now()
  const milliseconds = () => Math.round(performance.now() - startedAt)
  let { body } = claimed
  if (body === null) {
    try {
      body = await bodyOf(system, messageId, claimed, claimed)
    } catch (error) {
      system.log.error({ err: error, accountId, webhookId, messageId }, 'the payload of a delivery could not be made')
      return { status: undefined, error: 'The payload could not be made.', milliseconds: milliseconds(), isOurs: true }
    }
    const needs = await needsOfBodies(system, claimed, [claimed.type])
    if (!(await keepBody(system, claimed, body, needs))) return undefined
  }
  let secrets: string[]
  try {
    secrets = claimed.secrets.map((secret) => unsealSecret({ signer: system.signer, accountId }, secret))
  } catch (error) {
    system.log.error({ err: error, accountId, webhookId }, 'a delivery could not be signed')
    const reason = 'The secret of the webhook cannot be read. Rotate it.'
    return { status: undefined, error: reason, milliseconds: milliseconds(), isOurs: true }
  }
  const signal = newSignal()
  try {
    const at = system.clock.now()
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Campanile',
      accept: '*/*',
      'accept-encoding': 'identity',
      ...signatureHeaders({ messageId, body, at }, secrets),
    }
    const answer = await poster.post({ url: new URL(claimed.url), headers, body, signal })
    return {
      status: answer.status,
      retryAfter: answer.retryAfter,
      response: answer.body,
      milliseconds: milliseconds(),
      ...(answer.status >= 300 && answer.status < 400 && { error: 'Redirects are not followed.' }),
    }
  } catch (error) {
    return { status: undefined, error: reasonOf(error, signal), milliseconds: milliseconds() }
  }
}

/** Why nothing came back, for the owner of the endpoint: nothing of our own insides. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof Forbidden) return 'The address is not on the public Internet.'
  if (signal.aborted) return 'No complete answer came in time.'
  const { code, message } = error as NodeJS.ErrnoException
  return `The request failed: ${code ?? message}.`.slice(0, 500)
}
