import type { System } from '../../db/context.ts'
import { inSpan } from '../../kernel/telemetry/tracing.ts'
import { within } from '../../kernel/work/within.ts'
import { releaseOf } from './attempts/attempt-results.ts'
import type { Dispatcher } from './attempts/dispatcher.ts'
import { type ClaimPositions, newClaimPositions } from './queue/claim-positions.ts'
import {
  type ClaimedMessage,
  claimMessages,
  countDue,
  keyOf,
  listDueSources,
  type QueueSource,
} from './queue/claims.ts'
import type { RenderMarks } from './render-marks.ts'
import { renderClaims } from './rendering.ts'
import { type AccountTurns, maxCredit } from './selection/account-turns.ts'
import type { MailServers } from './transport/mail-servers.ts'

/** Limits of the number of messages in one claim. */
const maxClaimSize = 50
const minClaimSize = 5

/** How long the claimer waits for the rendering of one account's messages before it serves other accounts. */
const renderWaitMs = 100

/** Maximum number of accounts whose messages are rendered in the background. */
const maxRenderingAccounts = 20

/** Claims due messages and renders them for the dispatcher. */
interface Claimer {
  /** Claims messages until the dispatcher has enough or nothing is due. */
  fill(): Promise<boolean>
  /** Looks at a source in the next `fill`, due or not: its last message got a result, so its campaign may have ended. */
  revisit(source: QueueSource): void
  /** Resolves when no messages are being rendered. */
  rendered(): Promise<unknown>
}

interface ClaimerOptions {
  system: System
  servers: MailServers
  dispatcher: Dispatcher
  turns: AccountTurns
  workerId: () => number
  isStopping: () => boolean
  marks: RenderMarks
  /** Called when rendering in the background ends. */
  onRendered: () => void
  /** The only account to serve. Undefined: all accounts. */
  onlyAccountId: number | undefined
}

interface State extends ClaimerOptions {
  /** Number of waiting messages that keeps every connection busy while the next ones are claimed and rendered. */
  readonly target: number
  /** Sources to look at although they may not be due. */
  readonly revisits: Map<string, QueueSource>
  readonly positions: ClaimPositions
  /** Sequence number of the last turn of each source by key. */
  readonly sourceTurns: Map<string, number>
  lastTurn: number
  /** Accounts whose messages are being rendered. */
  readonly rendering: Map<number, Promise<void>>
}

/** Accounts take turns, and so do the sources of an account (ADR 14). */
export function newClaimer(options: ClaimerOptions): Claimer {
  const state: State = {
    ...options,
    target: Math.max(2 * maxClaimSize, 8 * options.servers.size),
    revisits: new Map(),
    positions: newClaimPositions(),
    sourceTurns: new Map(),
    lastTurn: 0,
    rendering: new Map(),
  }
  return {
    fill: () => fill(state),
    revisit: (source) => {
      state.revisits.set(keyOf(source), source)
    },
    rendered: () => Promise.all(state.rendering.values()),
  }
}

async function fill(state: State): Promise<boolean> {
  const { system, servers, dispatcher, rendering, isStopping } = state
  const empty = new Set<string>()
  while (!isStopping() && dispatcher.waiting() <= state.target / 2 && rendering.size < maxRenderingAccounts) {
    // While all servers are down, one waiting message is enough to find out when they are back.
    if (servers.areDown() && dispatcher.waiting() > 0) return false
    const next = await nextSource(state, empty)
    if (!next) return false
    const { source, size } = next
    const claimed = await claimMessages(system, source, state.workerId(), size, state.positions)
    if (claimed.length === 0) empty.add(keyOf(source))
    else if (isStopping()) dispatcher.record(claimed.map((message) => releaseOf(message, system.clock.now())))
    else await renderInTurn(state, source, claimed)
  }
  return false
}

/** Returns the source whose turn it is, and how many messages to claim from it. */
async function nextSource(
  state: State,
  empty: ReadonlySet<string>,
): Promise<{ source: QueueSource; size: number } | undefined> {
  const { system, dispatcher, revisits, turns, sourceTurns, rendering } = state
  const due = await listDueSources(system, state.onlyAccountId)
  const all = new Map([...revisits, ...due.map((source) => [keyOf(source), source] as const)])
  revisits.clear()
  const sources = [...all.values()].filter((source) => !empty.has(keyOf(source)))
  const accounts = new Set(sources.map(({ accountId }) => accountId))
  for (const accountId of accounts) {
    if (turns.isBeginning(accountId)) turns.begin(accountId, await countDue(system, accountId, maxCredit))
  }
  const share = Math.ceil(state.target / 2 / Math.max(accounts.size, 1))
  const waiting = new Map([...accounts].map((accountId) => [accountId, dispatcher.waiting(accountId)]))
  const waitingOf = (accountId: number) => waiting.get(accountId) ?? 0
  const sizeOf = (accountId: number) => Math.min(Math.max(share, turns.creditOf(accountId), minClaimSize), maxClaimSize)
  /** The place that the account will have when its claimed messages are sent. */
  const placeOf = ({ accountId }: QueueSource) => turns.placeOf(accountId) + waitingOf(accountId)
  const turnOf = (source: QueueSource) => sourceTurns.get(keyOf(source)) ?? 0
  const [source] = sources
    .filter(
      ({ accountId }) =>
        waitingOf(accountId) < sizeOf(accountId) && dispatcher.hasRoom(accountId) && !rendering.has(accountId),
    )
    .toSorted((a, b) => placeOf(a) - placeOf(b) || turnOf(a) - turnOf(b))
  if (!source) return undefined
  state.lastTurn += 1
  sourceTurns.set(keyOf(source), state.lastTurn)
  return { source, size: sizeOf(source.accountId) }
}

/** Renders messages, and waits at most `renderWaitMs`: large bodies are rendered in threads, which may take seconds. */
async function renderInTurn(state: State, source: QueueSource, claimed: readonly ClaimedMessage[]): Promise<void> {
  const { system, dispatcher, rendering, marks, isStopping, onRendered } = state
  const { accountId } = source
  let isAwaited = true
  const work = inSpan(
    () => {
      const attributes = { 'campanile.account_id': accountId, 'messaging.batch.message_count': claimed.length }
      return { name: 'render messages', kind: 'CONSUMER', attributes }
    },
    () => renderClaims(system, source, claimed, { dispatcher, isStopping, watch: marks.watch(accountId) }),
  )
    .catch((error: unknown) => {
      if (isAwaited) throw error
      system.log.error({ err: error, accountId }, 'messages could not be rendered; they are tried again')
    })
    .finally(() => {
      rendering.delete(accountId)
      if (!isAwaited) onRendered()
    })
  rendering.set(accountId, work)
  await within(work, renderWaitMs)
  isAwaited = false
}
