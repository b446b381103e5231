import { isDeepStrictEqual } from 'node:util'
import { LRUCache } from 'lru-cache'
import type { System } from '../db/context.ts'
import type { Question } from '../forms/index.ts'
import { TaskError, threadTask } from '../kernel/thread-pool.ts'
import { contentAt, findPublishedPage, type PageAddress, type PageMetadata } from './live-page.ts'
import { buildPageData, type CompiledPage, type PageData, type PageSource, pageOf } from './page/compile.ts'

/** A page as it is shown now. */
export interface LivePage {
  readonly facts: PageMetadata
  readonly compiled: CompiledPage
  /** Those of the step's form. */
  readonly questions: readonly Question[]
  /** How many characters its document and its HTML have. */
  readonly size: number
}

/** The pages that were asked for lately, ready to be shown. */
export interface PageStore {
  /** The page at an address as it is now, or undefined where none is published. */
  find(address: PageAddress): Promise<LivePage | undefined>
  /** Says that pages may have changed: each is looked at again before it is shown. */
  invalidate(): void
}

interface Kept {
  readonly page: LivePage
  /** When it was found to be as it is, and how many invalidations there had been. */
  checkedAt: number
  invalidations: number
}

/** For how long a page is shown without a look whether it has changed: nobody may have told us. */
const recheckIntervalMs = 1_000

/** How many characters of documents are kept: what is made of them takes a few times as many bytes. */
const maxCachedCharacters = 32 * 1024 * 1024

/** What a page takes besides its document. */
const overhead = 4_096

/** From so many characters of its document, or questions, on a page is built in a thread; others take 1 to 2 ms. */
const large = 4_000
const manyQuestions = 20

/** For how long a page that could not be built is not tried again: each visitor may ask for it. */
const failureTtlMs = 30_000

/** A store without pages. */
export function newPageStore(system: System): PageStore {
  const kept = new LRUCache<string, Kept>({
    maxSize: maxCachedCharacters,
    sizeCalculation: ({ page }) => page.size + overhead,
  })
  /** Pages that could not be built, and why. */
  const broken = new LRUCache<string, { facts: PageMetadata; error: TaskError }>({ max: 1_000, ttl: failureTtlMs })
  /** What is being read at this moment: however many ask for a page at once, it is read once. */
  const reading = new Map<string, { invalidations: number; page: Promise<LivePage | undefined> }>()
  let invalidations = 0

  const look = async (key: string, address: PageAddress, seen: number): Promise<LivePage | undefined> => {
    const checkedAt = performance.now()
    const facts = await findPublishedPage(system, address)
    if (!facts) {
      kept.delete(key)
      return undefined
    }
    const known = kept.get(key)
    const failed = broken.get(key)
    if (failed && isDeepStrictEqual(failed.facts, facts)) throw failed.error
    const page =
      known && isDeepStrictEqual(known.page.facts, facts)
        ? known.page
        : await compiled(system, facts).catch((error: unknown) => {
            if (error instanceof TaskError) broken.set(key, { facts, error })
            throw error
          })
    kept.set(key, { page, checkedAt, invalidations: seen })
    return page
  }

  return {
    find: async (address) => {
      const key = `${address.subdomain}/${address.funnelId}/${address.path}`
      const known = kept.get(key)
      if (known?.invalidations === invalidations && performance.now() - known.checkedAt < recheckIntervalMs)
        return known.page
      const running = reading.get(key)
      // What began before the last invalidate may have read what was before it.
      if (running?.invalidations === invalidations) return running.page
      const mine = { invalidations, page: look(key, address, invalidations) }
      reading.set(key, mine)
      try {
        return await mine.page
      } finally {
        if (reading.get(key) === mine) reading.delete(key)
      }
    },
    invalidate: () => {
      invalidations += 1
    },
  }
}

const inThread = threadTask<PageSource, PageData>({
  file: './page.worker',
  base: import.meta.url,
  name: 'buildPageData',
})

async function compiled(system: System, facts: PageMetadata): Promise<LivePage> {
  const { document, questions } = await contentAt(system, facts)
  // Addresses beside this page's own are right at both of its addresses, by path and by host.
  const [action, nextUrl] = [`./${facts.path}`, facts.next === null ? null : `./${facts.next}`]
  const { title, description } = facts
  const source = { title, description, document, questions, action, nextUrl }
  const size = JSON.stringify(document).length
  const isLarge = size > large || questions.length > manyQuestions
  const page = pageOf(isLarge ? await inThread(facts.accountId, source, size) : buildPageData(source))
  return { facts, questions, compiled: page, size: size + page.size }
}
