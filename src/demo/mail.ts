import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignList } from '../campaigns/index.ts'
import { newCtx, type System } from '../db/context.ts'
import { pageOf } from '../db/list.ts'
import type { settableClock } from '../kernel/clock.ts'
import { files, newServers, openRecipients, recipients, startDelivery, tracking } from '../mail/index.ts'
import { newSequenceScheduler } from '../sequences/index.ts'

const hour = 3_600_000

/** How long letters may take that become files, in milliseconds. */
const longestDelivery = 60_000

const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'

/** Makes the folder of the letters. Fails where that cannot be: then nothing should be begun. */
export async function mailFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'mail')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await access(folder, constants.W_OK)
  return folder
}

/** Where the links of the letters lead. */
export const shopUrl = 'https://atelier-rosalie.example/shop'

/** The system of the demonstration: with a clock that is walked, and with what the links of its letters are signed with. */
export type DemoSystem = System & { readonly secret: string; readonly clock: ReturnType<typeof settableClock> }

/** What delivers the letters of the demonstration while its clock walks. */
export interface PostOffice {
  /** Delivers what is due on the clock: a campaign, where one is given, and what the sequences have to say. */
  deliver(campaignId?: number): Promise<void>
  /** Has some letters opened and some links followed, each some hours after it came. */
  read(draw: (from: number, to: number) => number): Promise<void>
  close(): Promise<void>
}

/**
 * Opens it, for one account. Its letters become files, whatever mail servers are configured: the people of the demonstration
 * do not exist. The addresses of two of them take no mail. Fails where letters are not delivered in time.
 */
export async function openPostOffice(system: DemoSystem, accountId: number, letters: string): Promise<PostOffice> {
  const { clock, log, db } = system
  const folder = files(letters)
  const transport: typeof folder = {
    ...folder,
    hand: async (parcel, tries) =>
      /\D(?:40|200)@/.test(parcel.to.join())
        ? { verdict: 'bad address', answer: '550 5.1.1 There is nobody of that name here.' }
        : folder.hand(parcel, tries),
  }
  const delivery = await startDelivery({
    ...{ system, db, rates: {}, only: accountId },
    servers: newServers([transport], 8, log),
  })
  const sequences = newSequenceScheduler(system, {}, accountId)
  const ctx = () => newCtx(system, { accountId })
  /** Time goes on while it waits: what is left to another moment must come to it. */
  const until = async (isDone: () => Promise<boolean | undefined>) => {
    const deadline = performance.now() + longestDelivery
    while (!(await isDone())) {
      if (performance.now() > deadline)
        throw new Error(`The letters of the demonstration cannot be written to ${letters}.`)
      delivery.wake()
      await sleep(5)
      clock.set(new Date(clock.now().getTime() + 100))
    }
  }
  return {
    deliver: async (campaignId) => {
      if (campaignId !== undefined)
        await until(async () => (await ctx().load(campaignList.byId, campaignId))?.status !== 'SENDING')
      while (await sequences.run()) await until(async () => !(await openRecipients.areOpen(ctx(), 0)))
    },
    read: async (draw) => {
      const end = clock.now()
      const later = (from: Date, hours: number) =>
        clock.set(new Date(Math.min(from.getTime() + hours * hour, end.getTime())))
      for (let after: string | undefined, isMore = true; isMore; ) {
        const page = await pageOf(ctx(), recipients.list, {
          ...{ first: 100, after, filter: { states: ['SENT'] } },
          orderBy: { field: 'ID', direction: 'ASC' },
        })
        for (const { id: recipientId, sentAt } of page.rows) {
          const [interest, gatewayTimeoutMs] = [draw(0, 1), draw(0.1, 40)]
          if (!sentAt || interest > 0.45) continue
          later(sentAt, gatewayTimeoutMs)
          await tracking.recordOpen(ctx(), { recipientId, userAgent })
          if (interest > 0.12) continue
          later(sentAt, gatewayTimeoutMs + 0.1)
          await tracking.recordClick(ctx(), { recipientId, url: shopUrl, userAgent })
        }
        const last = page.rows.at(-1)
        after = last && page.cursor(last)
        isMore = page.hasNextPage
      }
      clock.set(end)
    },
    close: () => delivery.stop(),
  }
}
