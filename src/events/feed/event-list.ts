import { type Ctx, single } from '../../db/context.ts'
import type { ListArgs, Page } from '../../db/lists/list.ts'
import { contentOf } from '../../db/lists/pages.ts'
import { invalid } from '../../kernel/errors.ts'
import { cursorOf, positionOf, type StampedEvent } from '../../kernel/feed.ts'
import { identityOf, readPage } from '../../kernel/values/page.ts'
import { type EventFilter, readFilter } from './event-filter.ts'
import { storedCount, storedEvents } from './stored-events.ts'

/**
 * Returns a page of the stored events, newest first by default. Its cursors are those of subscriptions.
 *
 * **Throws** FORBIDDEN and VALIDATION_ERROR as `readFilter` does.
 */
export async function list(ctx: Ctx, args: ListArgs<EventFilter, 'POSITION'>): Promise<Page<StampedEvent>> {
  const { types, subjects } = readFilter(ctx, args.filter ?? {})
  const page = readPage(args, readPlace)
  const isNewestFirst = args.orderBy?.[0]?.direction !== 'ASC'
  const isDescending = isNewestFirst !== page.backward
  const from = page.from && BigInt(page.from.value)
  const bounds = isDescending ? { before: from } : { after: from }
  const events = single(
    (loaderCtx) =>
      loaderCtx.sql.limited(1)<StampedEvent>`${storedEvents(loaderCtx.sql.account, {
        ...{ types, subjects, ...bounds },
        direction: isDescending ? 'DESC' : 'ASC',
        // One additional event shows whether there is a next page.
        ...{ limit: page.size + 1, offset: page.offset },
      })}`,
  )
  const count = single(
    (loaderCtx) => loaderCtx.sql.limited(1)<{ n: number }>`${storedCount(loaderCtx.sql.account, { types, subjects })}`,
  )
  const key = identityOf('events', args)
  const content = async () => {
    const found = await ctx.load({ ...events, name: `page ${key}` }, 'all')
    return contentOf(found, page, ({ position }) => cursorOf(position))
  }
  return {
    content,
    totalCount: async () => (await ctx.load({ ...count, name: `count ${key}` }, 'all'))[0]?.n ?? 0,
  }
}

function readPlace(cursor: string, argument: string) {
  const position = positionOf(cursor)
  if (position === undefined) throw invalid({ [argument]: ['must be the cursor of an event'] })
  return { value: String(position), id: '0' }
}
