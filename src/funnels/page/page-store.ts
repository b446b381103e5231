import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { System } from '../../db/context.ts'
import type { Question } from '../../forms/index.ts'
import type { Absences } from '../../kernel/work/absences.ts'
import { TaskError } from '../../kernel/work/thread-pool.ts'
import { branded } from '../content/branded.ts'
import { buildPage } from '../content/page-build.ts'
import { type CompiledPage, pageOf } from '../html/compile.ts'
import type { FunnelAddress } from './address.ts'
import { contentAt, findFirstPath, findPublishedPage, type PageAddress, type PageMetadata } from './published-page.ts'

/** A page with its current content, ready to render. */
export interface LivePage {
  readonly facts: PageMetadata
  readonly compiled: CompiledPage
  /** Questions of the step's form. */
  readonly questions: readonly Question[]
  /** Characters of the document and the HTML. */
  readonly size: number
}

/** Cache of rendered pages. */
export interface PageStore {
  /** Returns the current page at an address, or undefined if none is published. */
  find(address: PageAddress): Promise<LivePage | undefined>
  /** Returns the path of the first published page of a funnel, or undefined if no page is published. */
  findFirstPath(address: FunnelAddress): Promise<string | undefined>
  /** Marks all pages as possibly changed: each is checked against the database before its next use. */
  invalidate(): void
}

interface CachedPage {
  readonly page: LivePage
  /** Time of the last check in milliseconds of `performance.now()`, and the number of invalidations before it. */
  checkedAt: number
  invalidations: number
}

/** Interval of checks for changes. Notifications about changes can be lost. */
const recheckIntervalMs = 1_000

/** Maximum size of the cache in characters of documents and HTML. The memory use is a few times as many bytes. */
const maxCachedCharacters = 32 * 1024 * 1024

/** Size of a page in addition to its document and HTML, in characters. */
const overhead = 4_096

/** Interval before a page that could not be built is built again. */
const failureTtlMs = 30_000

/** Creates an empty store. `absences` remembers the addresses without a page. */
export function newPageStore(system: System, absences: Absences): PageStore {
  const cache = new LRUCache<string, CachedPage>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ page }) => page.size + overhead,
  })
  /** Errors of pages that could not be built. */
  const failures = new LRUCache<string, { facts: PageMetadata; error: TaskError }>({ max: 1_000, ttl: failureTtlMs })
  /** Reads in progress. Concurrent requests for a page share one read. */
  const reading = new Map<string, { invalidations: number; page: Promise<LivePage | undefined> }>()
  let invalidations = 0

  const read = async (key: string, address: PageAddress, seenInvalidations: number): Promise<LivePage | undefined> => {
    const checkedAt = performance.now()
    const facts = await absences.lookUp(`page ${key}`, () => findPublishedPage(system, address))
    if (!facts) {
      cache.delete(key)
      return undefined
    }
    const known = cache.get(key)
    const failed = failures.get(key)
    if (failed && isDeepStrictEqual(failed.facts, facts)) throw failed.error
    const page =
      known && isDeepStrictEqual(known.page.facts, facts)
        ? known.page
        : await loadPage(system, facts).catch((error: unknown) => {
            if (error instanceof TaskError) failures.set(key, { facts, error })
            throw error
          })
    cache.set(key, { page, checkedAt, invalidations: seenInvalidations })
    return page
  }

  return {
    find: async (address) => {
      const key = `${address.subdomain}/${address.funnelId}/${address.path}`
      const known = cache.get(key)
      if (known?.invalidations === invalidations && performance.now() - known.checkedAt < recheckIntervalMs)
        return known.page
      if (absences.isAbsent(`page ${key}`)) return undefined
      const running = reading.get(key)
      // A read that began before the last invalidation may return old data.
      if (running?.invalidations === invalidations) return running.page
      const current = { invalidations, page: read(key, address, invalidations) }
      reading.set(key, current)
      try {
        return await current.page
      } finally {
        if (reading.get(key) === current) reading.delete(key)
      }
    },
    findFirstPath: async (address) => {
      const name = `funnel ${address.subdomain}/${address.funnelId}`
      return absences.isAbsent(name) ? undefined : absences.lookUp(name, () => findFirstPath(system, address))
    },
    invalidate: () => {
      invalidations += 1
      absences.clear()
    },
  }
}

async function loadPage(system: System, facts: PageMetadata): Promise<LivePage> {
  const { document, questions, brand } = await contentAt(system, facts)
  // Relative URLs work for both addresses of a page, by path and by host.
  const [action, nextUrl] = [`./${facts.path}`, facts.next === null ? null : `./${facts.next}`]
  const { title, description } = facts
  const source = { title, description, document: branded(document, brand), questions, action, nextUrl }
  const size = JSON.stringify(document).length
  const page = pageOf(await buildPage(facts.accountId, source, size))
  return { facts, questions, compiled: page, size: size + page.size }
}
