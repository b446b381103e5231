import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import type { StampedEvent } from '../kernel/feed.ts'
import type { Limiter } from '../kernel/limiter.ts'
import type { Scope } from '../kernel/scopes.ts'
import { bounded, depositOf, ofPlan, requestRows, sizeOf } from './cost.ts'
import { shown } from './errors.ts'
import type { Ready } from './execute.ts'
import { limits } from './limits.ts'
import type { Request } from './request.ts'
import { resumeVariables } from './resume.ts'
import { newTurns } from './turns.ts'

/** How many executions of events run at once in this process. */
const mostAtOnce = 8

/** How many bytes the answers that are kept may take, and of how many events. */
const kept = { bytes: 64_000_000, events: 1_000 }

/** A subscription that may be executed for events: what was sent, who asked, and what an event is estimated to cost. */
export interface Subscribed {
  readonly ready: Ready
  readonly request: Request
  readonly estimate: number
}

/** Thrown if the account's cost points are used up, so that an event is not executed. */
export class BudgetSpent extends Error {
  readonly resetSeconds: number

  constructor(resetSeconds: number) {
    super('The cost points of this minute are used up.')
    this.resetSeconds = resetSeconds
  }
}

/** Executes subscriptions for an event. */
export interface EventAnswers {
  /** The text for all who share a key, made once. Rejects with BudgetSpent. */
  textOf(event: StampedEvent, subscribed: Subscribed, key: string): Promise<string>
}

/**
 * Executes subscriptions once for all who share them. Executions begin in turns of the event loop of their own, a few at
 * once; those of one event with the same scopes run one after the other, and read through one set of loaders. Each is
 * charged to the account's cost points.
 */
export function newEventAnswers(options: { schema: GraphQLSchema; system: System; cost: Limiter }): EventAnswers {
  const { schema, system, cost } = options
  const turns = newTurns(mostAtOnce)
  const events = new LRUCache<StampedEvent, Answers>({ max: kept.events, maxSize: kept.bytes })
  const answersOf = (event: StampedEvent): Answers => {
    const answers = events.get(event) ?? { lanes: new Map(), texts: new Map(), bytes: 1 }
    if (!events.has(event)) events.set(event, answers, { size: 1 })
    return answers
  }

  const answer = async ({ ready, request, estimate }: Subscribed, event: StampedEvent, ctx: Ctx): Promise<string> => {
    const { accountId, costShare = 1 } = request.admitted
    const deposit = depositOf(estimate, Math.ceil(cost.limit * costShare))
    const tally = ofPlan(await cost.take(accountId, deposit), costShare)
    if (tally.isExceeded) {
      cost.giveBack(accountId, deposit)
      throw new BudgetSpent(tally.resetSeconds)
    }
    ctx.rows?.restart(limits)
    const { document, variables: variableValues, operationName } = ready
    const result = await execute({
      ...{ schema, document, variableValues, operationName },
      rootValue: event,
      contextValue: ctx,
    })
    cost.giveBack(accountId, deposit - Math.max(sizeOf(result.data), ctx.rows?.isExceeded() ? ctx.rows.loaded() : 0))
    return JSON.stringify(masked(bounded(result, ctx.rows, true)))
  }

  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map((error) => shown(error, system.log)) } : result

  return {
    textOf: (event, subscribed, key) => {
      const answers = answersOf(event)
      const known = answers.texts.get(key)
      if (known) return known
      const lane = laneOf(answers, system, subscribed.request)
      const before = lane.last
      const text = before.catch(() => undefined).then(() => turns.take(() => answer(subscribed, event, lane.ctx)))
      lane.last = text
      answers.texts.set(key, text)
      text.then(
        ({ length }) => {
          answers.bytes += 2 * length
          // What is larger than a part of the cache would not be kept, and be executed for each of its subscribers.
          if (events.has(event)) events.set(event, answers, { size: Math.min(answers.bytes, kept.bytes / 8) })
        },
        // It may be tried again, in the next minute.
        () => answers.texts.delete(key),
      )
      return text
    },
  }
}

/** What was made of one event so far. */
interface Answers {
  readonly lanes: Map<string, Lane>
  readonly texts: Map<string, Promise<string>>
  bytes: number
}

/** The executions of one event for the same scopes, one after the other. */
interface Lane {
  readonly ctx: Ctx
  last: Promise<unknown>
}

function laneOf({ lanes }: Answers, system: System, { admitted }: Request): Lane {
  const { accountId, scopes } = admitted
  const key = scopesKey(scopes)
  const lane = lanes.get(key) ?? {
    ctx: newCtx(system, { accountId, scopes }, { rows: requestRows() }),
    last: Promise.resolve(),
  }
  lanes.set(key, lane)
  return lane
}

/** The same text for all who get the same answers. An event belongs to one account, so that need not be in it. */
export function sharedBy({ text, document, operationName, variables }: Ready, { scopes }: Request['admitted']): string {
  const cursors = resumeVariables(document)
  const rest = Object.entries(variables).filter(([name]) => !cursors.has(name))
  return JSON.stringify([text, operationName, rest.sort(([a], [b]) => (a < b ? -1 : 1)), scopesKey(scopes)])
}

function scopesKey(scopes: readonly Scope[] | undefined): string {
  return scopes === undefined ? '*' : scopes.toSorted().join(' ')
}
