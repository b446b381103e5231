import { type Admission, type Gateway, GatewayError, requireScopes } from '../../../rest-bridge/index.ts'
import { RateLimitError } from '../../account/index.ts'
import { unavailable } from '../../db/unavailable.ts'
import type { Executor } from '../../graphql/execute.ts'
import type { Admit } from '../../graphql/execution/admission.ts'
import { ClientGone, Refusal } from '../../kernel/errors.ts'
import { may } from '../../kernel/scopes.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import type { ConcurrencyLimiter, Slot } from '../../kernel/work/request-slots.ts'

/** Creates the gateway of a REST bridge in this process: it executes documents without HTTP. */
export function newLocalGateway(admit: Admit, executor: Executor, limiter: ConcurrencyLimiter): Gateway {
  return {
    admit: async ({ authorization }, address) => {
      const caller = await admit({ authorization, address }).catch(rethrowAsGatewayRefusal)
      return {
        rateLimit: () => caller.requests,
        ...newLateSlot(limiter, caller.accountId),
        execute: async (document, variables, { idempotencyKey } = {}) => {
          const operation = {
            document,
            variables: variables as Record<string, unknown>,
            operationName: undefined,
            isFixedDocument: true,
          }
          return (await executor.run(operation, {
            admitted: caller,
            address: plainAddress(address),
            idempotencyKey,
            isOwnDocument: true,
          })) as never
        },
        confirm: async (needs) => requireScopes(needs, (scope) => may(caller, scope)),
      }
    },
  }
}

/** Limits the concurrent requests of each key to a GraphQL API in another process, so that one key cannot fill the memory. */
export function limitGateway(gateway: Gateway, limiter: ConcurrencyLimiter): Gateway {
  return {
    admit: async (headers, address) => {
      const admission = await gateway.admit(headers, address)
      return { ...admission, ...newLateSlot(limiter, headers.authorization ?? '') }
    },
  }
}

/** Returns a slot that is taken at its start, when the request is complete. */
function newLateSlot(limiter: ConcurrencyLimiter, holder: string | number): Pick<Admission, 'start' | 'leave' | 'end'> {
  let slot: Slot | undefined
  let hasLeft = false
  return {
    start: async () => {
      try {
        slot = limiter.acquire(holder)
        if (hasLeft) slot.leave()
        await slot.start()
      } catch (error) {
        rethrowAsGatewayRefusal(error)
      }
    },
    leave: () => {
      hasLeft = true
      slot?.leave()
    },
    end: () => slot?.release(),
  }
}

/** Throws the GatewayError for an error of authentication, rate limit or availability. Throws other errors unchanged. */
function rethrowAsGatewayRefusal(error: unknown): never {
  if (error instanceof ClientGone) throw new GatewayError('CLIENT_GONE', error.message)
  const outage = unavailable(error)
  if (outage) {
    const { message, retryAfterSeconds } = outage
    throw new GatewayError('UNAVAILABLE', message, { retryAfterSeconds })
  }
  if (error instanceof Refusal && error.code === 'UNAUTHORIZED') throw new GatewayError('UNAUTHORIZED', error.message)
  if (!(error instanceof RateLimitError)) throw error
  const { tally, message } = error
  throw new GatewayError('RATE_LIMITED', message, { rateLimit: tally, retryAfterSeconds: tally.resetSeconds })
}
