import type { Request } from './request.ts'

/**
 * How many subscriptions may be open in one process. A thousand of one key is an ordinary application whose users all
 * follow the same; different documents are what costs, for each is executed for each event.
 */
export const streamLimits = {
  perSocket: 100,
  perKey: 2_000,
  perAccount: 5_000,
  /** Different documents, whatever their variables. */
  documentsPerAccount: 100,
  /** Of a document and its variables, which are kept for as long as the subscription is open. */
  characters: 65_536,
} as const

/** Counts open subscriptions. */
export interface StreamCounts {
  /**
   * Counts one more. Returns how to count it no more, once it has ended, or, if there are too many already, the sentence
   * that says so.
   */
  enter(request: Pick<Request, 'admitted' | 'socket'>, text: string): (() => void) | string
}

/** The counts of one process. */
export function newStreamCounts(): StreamCounts {
  const keys = newCount<number>()
  const accounts = newCount<number>()
  const sockets = newCount<object>()
  const documents = new Map<number, ReturnType<typeof newCount<string>>>()
  return {
    enter: ({ admitted: { accountId, keyId }, socket }, text) => {
      const own = documents.get(accountId) ?? newCount<string>()
      const { perSocket, perKey, perAccount, documentsPerAccount } = streamLimits
      if (socket && sockets.of(socket) >= perSocket) return `A socket can have ${perSocket} subscriptions at most.`
      if (keys.of(keyId) >= perKey) return `A key can have ${perKey} subscriptions at most.`
      if (accounts.of(accountId) >= perAccount) return `An account can have ${perAccount} subscriptions at most.`
      if (own.of(text) === 0 && own.size() >= documentsPerAccount) {
        return `An account can follow ${documentsPerAccount} different documents at most: use variables, or fewer documents.`
      }
      documents.set(accountId, own)
      const leave = [keys.add(keyId), accounts.add(accountId), own.add(text)]
      if (socket) leave.push(sockets.add(socket))
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        for (const each of leave) each()
        if (own.size() === 0 && documents.get(accountId) === own) documents.delete(accountId)
      }
    },
  }
}

/** How many of each there are. */
function newCount<Key>() {
  const counts = new Map<Key, number>()
  return {
    of: (key: Key) => counts.get(key) ?? 0,
    size: () => counts.size,
    /** Counts one more; returns how to take it back. */
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
