import { threadTask } from '../../kernel/work/thread-pool.ts'
import { buildPageData, type PageData } from '../html/compile.ts'
import type { PageSource } from '../html/elements/model.ts'

/** Minimum size for building a page in a thread. Smaller pages take 1 to 2 ms. */
const threadMinCharacters = 4_000
const threadMinQuestions = 20

const buildInThread = threadTask<PageSource, PageData>({
  file: './page.worker',
  base: import.meta.url,
  name: 'buildPageData',
})

/** Builds a page, in a thread if it is large. `size` is the length of its document as JSON. **Throws** TaskError. */
export async function buildPage(
  accountId: number,
  source: PageSource,
  size = JSON.stringify(source.document).length,
): Promise<PageData> {
  const isLarge = size > threadMinCharacters || source.questions.length > threadMinQuestions
  return isLarge ? buildInThread(accountId, source, size) : buildPageData(source)
}
