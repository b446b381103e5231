import type { System } from '../../db/context.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { inSpan } from '../../kernel/telemetry/tracing.ts'
import { ForbiddenAddress } from '../../kernel/web/outbound.ts'
import { loop } from '../../kernel/work/loop.ts'
import { type HttpPoster, newHttpPoster } from '../outbound/http-poster.ts'
import { bodyOf, buildMessage, smallBodyBytes } from '../webhooks/message-body.ts'
import { signatureHeaders, unsealSecret } from '../webhooks/signature.ts'
import { scopesOfMessages } from '../webhooks/webhook-list.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  countPendingBytes,
  maxPendingBytes,
  releaseClaim,
  storeBody,
  storeResult,
} from './delivery-queue.ts'
import { type AttemptResult, nextUpdate } from './retry-schedule.ts'

/** The maximum number of concurrent attempts of one process. */
const maxConcurrent = { total: 50, perWebhook: 5, perAccount: 20, toFailing: 20 }

/** Timeout of an attempt, from DNS resolution to the end of the response. */
const defaultAttemptTimeoutMs = 15_000

/** Attempts in progress get this time to finish when the process stops. */
const drainTimeoutMs = 3_000

/** Replacements for tests. */
export interface DeliverySeams {
  readonly random?: (() => number) | undefined
  readonly attemptTimeoutMs?: number | undefined
}

/** The worker that sends webhook messages. */
interface DeliveryWorker {
  wake(): void
  stop(): Promise<void>
}

/**
 * Sends due webhook messages until stopped. Any number of processes can run it. On stop, attempts in progress get a short
 * time to finish; the claims of the others are released.
 *
 * A message is sent at least once: if a process dies after the response of a receiver and before the result is stored, the
 * message is sent again with the same `webhook-id`.
 */
export function runDeliveries(system: System, metrics: Metrics, seams: DeliverySeams = {}): DeliveryWorker {
  const poster = newHttpPoster(system.outbound)
  const abort = new AbortController()
  const inProgress = new Map<ClaimedDelivery, Promise<void>>()
  const process = newProcessor(system, poster, metrics, { ...seams, stopping: abort.signal })

  const work = async (): Promise<boolean> => {
    const capacity = remainingCapacity([...inProgress.keys()])
    if (capacity.free <= 0) return false
    for (const delivery of await claimDeliveries(system, capacity)) {
      const processing = process(delivery).finally(() => {
        inProgress.delete(delivery)
        deliveries.wake()
      })
      inProgress.set(delivery, processing)
    }
    return false
  }
  const deliveries = loop('deliveries', work, { log: system.log })
  return {
    wake: deliveries.wake,
    stop: async () => {
      await deliveries.stop()
      const timer = setTimeout(() => abort.abort(), drainTimeoutMs)
      await Promise.allSettled(inProgress.values())
      clearTimeout(timer)
      poster.close()
    },
  }
}

function remainingCapacity(inProgress: readonly ClaimedDelivery[]) {
  const byWebhook = new Map<string, { accountId: number; webhookId: number; n: number }>()
  let failing = 0
  for (const { accountId, webhookId, isFailing } of inProgress) {
    const key = `${accountId} ${webhookId}`
    byWebhook.set(key, { accountId, webhookId, n: (byWebhook.get(key)?.n ?? 0) + 1 })
    if (isFailing) failing += 1
  }
  return {
    free: maxConcurrent.total - inProgress.length,
    perWebhook: maxConcurrent.perWebhook,
    perAccount: maxConcurrent.perAccount,
    freeForFailing: Math.max(maxConcurrent.toFailing - failing, 0),
    inProgress: [...byWebhook.values()],
  }
}

interface ProcessorOptions extends DeliverySeams {
  readonly stopping: AbortSignal
}

/** Returns the function that makes one attempt and stores its result. It never rejects. */
function newProcessor(system: System, poster: HttpPoster, metrics: Metrics, options: ProcessorOptions) {
  const { random = Math.random, attemptTimeoutMs = defaultAttemptTimeoutMs, stopping } = options
  const newSignal = () => AbortSignal.any([stopping, AbortSignal.timeout(attemptTimeoutMs)])
  return async (delivery: ClaimedDelivery): Promise<void> => {
    const { accountId, webhookId, messageId } = delivery
    try {
      const result = await attemptDelivery(system, poster, delivery, newSignal)
      if (result === undefined) return
      if (result.status === undefined && stopping.aborted) return await releaseClaim(system, delivery)
      const update = nextUpdate(result, delivery.step, system.clock.now(), random)
      await storeResult(system, delivery, result, update)
      metrics.delivery(update.status === 'PENDING' ? 'retried' : update.status === 'FAILED' ? 'failed' : 'delivered')
    } catch (error) {
      // The claim expires, and the message is sent again with the same `webhook-id`.
      system.log.error(
        { err: error, accountId, webhookId, messageId },
        'storing the result of a webhook delivery failed',
      )
    }
  }
}

/** Makes one attempt. Returns undefined if the claim has expired. */
async function attemptDelivery(
  system: System,
  poster: HttpPoster,
  delivery: ClaimedDelivery,
  newSignal: () => AbortSignal,
): Promise<AttemptResult | undefined> {
  const { accountId, webhookId, messageId } = delivery
  const startedAt = performance.now()
  const fail = (error: string, isInternal: boolean): AttemptResult => ({
    status: undefined,
    error,
    milliseconds: Math.round(performance.now() - startedAt),
    isInternal,
  })
  let { body } = delivery
  if (body === null) {
    try {
      body = await buildBody(system, delivery)
    } catch (error) {
      system.log.error({ err: error, accountId, webhookId, messageId }, 'building a webhook message failed')
      return fail('The message could not be built.', true)
    }
    const scopes = await scopesOfMessages(system, delivery, [delivery.type])
    if (!(await storeBody(system, delivery, body, scopes))) return undefined
  }
  let secrets: string[]
  try {
    secrets = delivery.secrets.map((secret) => unsealSecret({ signer: system.signer, accountId }, secret))
  } catch (error) {
    system.log.error({ err: error, accountId, webhookId }, 'signing a webhook message failed')
    return fail('The secret of the webhook cannot be read. Rotate it.', true)
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
    const response = await inSpan(
      () => ({ name: 'POST webhook', kind: 'CLIENT', attributes: { 'campanile.account_id': accountId } }),
      () => poster.post({ url: new URL(delivery.url), headers, body, signal }),
    )
    return {
      status: response.status,
      retryAfter: response.retryAfter,
      response: response.body,
      milliseconds: Math.round(performance.now() - startedAt),
      ...(response.status >= 300 && response.status < 400 && { error: 'Redirects are not followed.' }),
    }
  } catch (error) {
    return fail(failureReason(error, signal), false)
  }
}

/**
 * Builds the body of a delivery. It has no long texts if the bodies of the account that wait already have `maxPendingBytes`: an
 * endpoint that does not respond must not fill the database.
 */
async function buildBody(system: System, delivery: ClaimedDelivery): Promise<string> {
  const message = await buildMessage(system, delivery.messageId, delivery, delivery)
  const body = bodyOf(message)
  const bytes = Buffer.byteLength(body)
  if (bytes <= smallBodyBytes) return body
  const isFull = (await countPendingBytes(system, delivery.accountId)) + bytes > maxPendingBytes
  return isFull ? bodyOf(message, smallBodyBytes) : body
}

/** Returns why there was no response, for the owner of the endpoint. It must not reveal internals of the server. */
function failureReason(error: unknown, signal: AbortSignal): string {
  if (error instanceof ForbiddenAddress) return 'The address is not on the public Internet.'
  if (signal.aborted) return 'The request timed out.'
  const { code, message } = error as NodeJS.ErrnoException
  return `The request failed: ${code ?? message}.`.slice(0, 500)
}
