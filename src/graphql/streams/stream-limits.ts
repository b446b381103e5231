import { holderOf } from '../../kernel/scopes.ts'
import type { Request } from '../execution/request.ts'

/**
 * Limits of open subscriptions in one process. Many subscriptions with the same document are cheap: an application may
 * open one for each of its users. Different documents are expensive, because each is executed for each event.
 */
export const streamLimits = {
  perSocket: 100,
  perKey: 2_000,
  perAccount: 5_000,
  /** Different documents. Their variables do not matter. */
  documentsPerAccount: 100,
  /** Characters of a document and its variables, which stay in memory while the subscription is open. */
  characters: 65_536,
} as const

/** Counts open subscriptions. */
interface StreamCounts {
  /**
   * Counts a new subscription. Returns a function to call when the subscription ends, or an error message if a limit is
   * reached.
   */
  add(request: Pick<Request, 'admitted' | 'socket'>, text: string): (() => void) | string
}

/** Creates the counters of one process. */
export function newStreamCounts(): StreamCounts {
  const holders = newCounter<string>()
  const accounts = newCounter<number>()
  const sockets = newCounter<object>()
  const documentsByAccount = new Map<number, ReturnType<typeof newCounter<string>>>()
  return {
    add: ({ admitted, socket }, text) => {
      const { accountId } = admitted
      const holder = holderOf(admitted)
      const documents = documentsByAccount.get(accountId) ?? newCounter<string>()
      const { perSocket, perKey, perAccount, documentsPerAccount } = streamLimits
      if (socket && sockets.of(socket) >= perSocket) return `A socket can have ${perSocket} subscriptions at most.`
      if (holders.of(holder) >= perKey) return `A key or a session can have ${perKey} subscriptions at most.`
      if (accounts.of(accountId) >= perAccount) return `An account can have ${perAccount} subscriptions at most.`
      if (documents.of(text) === 0 && documents.size() >= documentsPerAccount) {
        return `An account can subscribe with ${documentsPerAccount} different documents at most. Use variables, or fewer documents.`
      }
      documentsByAccount.set(accountId, documents)
      const removals = [holders.add(holder), accounts.add(accountId), documents.add(text)]
      if (socket) removals.push(sockets.add(socket))
      let isRemoved = false
      return () => {
        if (isRemoved) return
        isRemoved = true
        for (const remove of removals) remove()
        if (documents.size() === 0 && documentsByAccount.get(accountId) === documents) {
          documentsByAccount.delete(accountId)
        }
      }
    },
  }
}

/** Counts occurrences by key. */
function newCounter<Key>() {
  const counts = new Map<Key, number>()
  return {
    of: (key: Key) => counts.get(key) ?? 0,
    size: () => counts.size,
    /** Counts one more. Returns a function that undoes it. */
    add: (key: Key) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return () => {
        const left = (counts.get(key) ?? 0) - 1
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    },
  }
}
