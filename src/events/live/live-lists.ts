import pLimit from 'p-limit'
import type { Ctx } from '../../db/context.ts'
import { checkFilter } from '../../db/filters/filter-check.ts'
import { invalid, refuse } from '../../kernel/errors.ts'
import type { Feed, Source } from '../../kernel/feed.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { identityOf } from '../../kernel/values/page.ts'
import { logEnds } from '../feed/feed.ts'
import { startPosition } from '../feed/subscriptions.ts'
import { followedEvents, type LiveDefinition } from './followed-events.ts'
import { type LiveList, type Memory, openLiveList } from './live-list.ts'

/** Maximum number of different lists that an account follows in one process. */
export const maxLiveLists = 20

/** Time for which a list without followers is kept, so that a client which reconnects continues where it was. */
const keptMs = 30_000

/** A list, and how many follow it or are about to. */
interface Entry {
  readonly list: Promise<LiveList>
  followers: number
  expiry: NodeJS.Timeout | undefined
  /** Ends the list, if it is still there. */
  remove(): void
}

/** The lists of an account, by list and filter. */
interface AccountLists {
  readonly entries: Map<string, Entry>
  /** Statements of the lists run one at a time, so that they leave connections for requests. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** The lists of a process. */
interface ProcessLists {
  readonly accounts: Map<number, AccountLists>
  readonly memory: Memory
}

/** The lists of each process, which has one feed. */
const processes = new WeakMap<Feed, ProcessLists>()

/**
 * Follows the rows of a list that match a filter. Subscriptions with equal filters share the evaluation. The first element is the
 * list, unless `after` continues a stream.
 *
 * **Throws** FORBIDDEN, VALIDATION_ERROR for an invalid filter or cursor and for a condition that no event reports, and
 * RATE_LIMITED for more than 20 different lists of an account.
 */
export async function followList<Filter extends object>(
  ctx: Ctx,
  definition: LiveDefinition<Filter>,
  args: { readonly filter?: Filter | null | undefined; readonly after?: string | null | undefined },
): Promise<Source> {
  mustBeAllowed(ctx, definition.needs)
  const filter = args.filter ?? {}
  await checkFilter(ctx, definition.list.filter, filter, 'filter')
  const after = startPosition(ctx, args.after)
  if (after !== undefined && after > (await logEnds(ctx)).position) {
    throw invalid({ after: ['must be a cursor of this server'] })
  }
  const key = identityOf(definition.list.name, filter)
  const entry =
    find(ctx, key) ?? open(ctx, key, { definition, filter, followed: await followedEvents(ctx, definition, filter) })
  clearTimeout(entry.expiry)
  entry.followers += 1
  let isFollowing = true
  const leave = () => {
    if (!isFollowing) return
    isFollowing = false
    entry.followers -= 1
    if (entry.followers === 0) entry.expiry = setTimeout(entry.remove, keptMs).unref()
  }
  try {
    return await (await entry.list).follow(after, leave)
  } catch (error) {
    leave()
    throw error
  }
}

function listsOf({ feed }: Ctx): ProcessLists {
  const lists = processes.get(feed) ?? { accounts: new Map(), memory: { rows: 0 } }
  processes.set(feed, lists)
  return lists
}

function find(ctx: Ctx, key: string): Entry | undefined {
  return listsOf(ctx).accounts.get(ctx.accountId)?.entries.get(key)
}

/** Opens a list, unless another subscription has opened it meanwhile. **Throws** RATE_LIMITED. */
function open(
  ctx: Ctx,
  key: string,
  settings: Pick<Parameters<typeof openLiveList>[0], 'definition' | 'filter' | 'followed'>,
): Entry {
  const { accountId } = ctx
  const { accounts, memory } = listsOf(ctx)
  const own: AccountLists = accounts.get(accountId) ?? { entries: new Map(), inTurn: pLimit(1) }
  const { entries, inTurn } = own
  const opened = entries.get(key)
  if (opened) return opened
  makePlace(own)
  const remove = () => {
    if (entries.get(key) !== entry) return
    entries.delete(key)
    clearTimeout(entry.expiry)
    if (entries.size === 0 && accounts.get(accountId) === own) accounts.delete(accountId)
    entry.list.then(
      (list) => list.stop(),
      () => undefined,
    )
  }
  const list = openLiveList({ ...settings, system: ctx, accountId, memory, inTurn, onEnd: remove })
  const entry: Entry = { list, followers: 0, expiry: undefined, remove }
  accounts.set(accountId, own)
  entries.set(key, entry)
  list.catch(remove)
  return entry
}

/** Ends a list without followers, if there is no place for another. **Throws** RATE_LIMITED. */
function makePlace({ entries }: AccountLists): void {
  if (entries.size < maxLiveLists) return
  const unused = [...entries.values()].find(({ followers }) => followers === 0)
  if (!unused) {
    throw refuse('RATE_LIMITED', `An account can follow ${maxLiveLists} lists with different filters at most.`)
  }
  unused.remove()
}
