import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignList } from '../campaigns/index.ts'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import { pageOf } from '../db/lists/pages.ts'
import { inTransaction } from '../db/transaction.ts'
import type { settableClock } from '../kernel/clock.ts'
import {
  fileTransport,
  newMailServers,
  openRecipients,
  recipients,
  senderProblems,
  startDelivery,
  tracking,
} from '../mail/index.ts'
import { newSequenceScheduler } from '../sequences/index.ts'

const hour = 3_600_000

/** Time within which due messages must be written to files. */
const deliveryTimeoutMs = 60_000

const userAgent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'

/** Creates the folder of the messages. Throws if it is not writable, before any data is created. */
export async function createMailFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'mail')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await access(folder, constants.W_OK)
  return folder
}

/** URL of the links in the messages. */
export const shopUrl = 'https://atelier-rosalie.example/shop'

/** A system with a clock that can be set. */
type DemoSystem = System & { readonly clock: ReturnType<typeof settableClock> }

/** Delivers the messages of the demonstration while its clock advances. */
export interface DemoMailer {
  /** Delivers all messages that are due: those of sequences and, if an id is passed, those of a campaign. */
  deliver(campaignId?: number): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the delivery for one account. It writes the messages to files and ignores the configured mail servers, because the
 * contacts are fictitious. The messages to two contacts bounce. Its methods throw if messages are not delivered in time.
 */
export async function startMailer(system: DemoSystem, accountId: number, mailFolder: string): Promise<DemoMailer> {
  const { clock, log, db } = system
  const folder = fileTransport(mailFolder)
  const transport: typeof folder = {
    ...folder,
    send: async (parcel, tries) =>
      /\D(?:40|200)@/.test(parcel.to.join())
        ? { verdict: 'bad address', answer: '550 5.1.1 The mailbox does not exist.' }
        : folder.send(parcel, tries),
  }
  const delivery = await startDelivery({
    ...{ system, db, rates: {}, only: accountId },
    servers: newMailServers([transport], 8, log),
  })
  const sequences = newSequenceScheduler(system, {}, accountId)
  const ctx = () => newCtx(system, { accountId })
  /** Waits for a condition. Advances the clock meanwhile, because delivery can postpone messages. */
  const waitUntil = async (isDone: () => Promise<boolean | undefined>) => {
    const deadline = performance.now() + deliveryTimeoutMs
    while (!(await isDone())) {
      if (performance.now() > deadline)
        throw new Error(`The messages of the demonstration were not written to ${mailFolder} in time.`)
      delivery.wake()
      await sleep(5)
      clock.set(new Date(clock.now().getTime() + 100))
    }
  }
  return {
    deliver: async (campaignId) => {
      if (campaignId !== undefined)
        await waitUntil(async () => (await ctx().load(campaignList.byId, campaignId))?.status !== 'SENDING')
      while (await sequences.run()) await waitUntil(async () => !(await openRecipients.hasOpen(ctx(), 0)))
    },
    close: () => delivery.stop(),
  }
}

/** Records that two receiving domains refused messages for a fault of the sender. */
export async function recordRefusals(ctx: Ctx): Promise<void> {
  const refusals = [
    { email: 'lea@mail-north.example', cause: 'BLOCK_LIST', detail: '554 5.7.1 Client host is listed by bl.example' },
    {
      email: 'tom@post-south.example',
      cause: 'AUTHENTICATION',
      detail: '550 5.7.26 The message has no valid signature',
    },
  ] as const
  await inTransaction(ctx, async (tx) => {
    for (const refusal of refusals) await senderProblems.addProblem(tx, refusal)
  })
}

/** Records opens and clicks for some messages, up to 40 hours after delivery. Sets the clock meanwhile. */
export async function recordReactions(
  ctx: Ctx,
  clock: ReturnType<typeof settableClock>,
  random: (from: number, to: number) => number,
): Promise<void> {
  const end = clock.now()
  const advanceTo = (from: Date, hours: number) =>
    clock.set(new Date(Math.min(from.getTime() + hours * hour, end.getTime())))
  for (let after: string | undefined, isMore = true; isMore; ) {
    const sent = await pageOf(ctx, recipients.recipientList, {
      ...{ first: 100, after, filter: { state: ['SENT'] } },
      orderBy: [{ field: 'ID', direction: 'ASC' }],
    })
    const page = await sent.content()
    for (const { id: recipientId, sentAt } of page.rows) {
      const [chance, delayHours] = [random(0, 1), random(0.1, 40)]
      if (!sentAt || chance > 0.45) continue
      advanceTo(sentAt, delayHours)
      await tracking.recordOpen(ctx, { recipientId, userAgent })
      if (chance > 0.12) continue
      advanceTo(sentAt, delayHours + 0.1)
      await tracking.recordClick(ctx, { recipientId, url: shopUrl, userAgent })
    }
    const last = page.rows.at(-1)
    after = last && page.cursor(last)
    isMore = page.hasNextPage
  }
  clock.set(end)
}
