import { campaigns, sending } from './campaigns/index.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ctx } from './kernel/context.ts'
import { tracking } from './mail/index.ts'

const hour = 3_600_000
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'
const shop = 'https://atelier-rosalie.example/shop'

/** The campaigns of the demonstration, past and to come. */
export interface DemoCampaigns {
  /** Sends a campaign at the clock's time to everyone who has a tag, and lets its readers react. */
  sendTo(tagId: number, subject: string, text: string): Promise<void>
  /** Leaves one campaign that is being written, and one that waits for next week. */
  plan(tagId: number): Promise<void>
}

/** Makes the campaigns of an account whose clock `draw` rolls the dice for. */
export function newDemoCampaigns(
  ctx: Ctx,
  clock: Clock & { set(to: Date): void },
  draw: (from: number, to: number) => number,
): DemoCampaigns {
  return {
    sendTo: async (tagId, subject, text) => {
      const id = await written(subject, text, tagId)
      const sentAt = clock.now()
      await sending.send(ctx, { id })
      await deliver(id, sentAt)
      clock.set(sentAt)
    },
    plan: async (tagId) => {
      await campaigns.create(ctx, { name: 'Spring collection', subject: 'Something green is coming' })
      const id = await written('Open studio day', 'Come and see where it all is made.', tagId)
      const nextWeek = new Date(clock.now().getTime() + 7 * 24 * hour).toISOString().slice(0, 10)
      await sending.schedule(ctx, { id, scheduledFor: `${nextWeek} 10:00` })
    },
  }

  async function written(subject: string, text: string, tagId: number): Promise<number> {
    const audience = { filter: { includeTagIds: [tagId] } }
    const { id } = (await campaigns.create(ctx, { name: subject, subject, audience })).campaign
    await campaigns.setContent(ctx, { id, html: `<h1>${subject}</h1>\n<p>${text}</p>`, text })
    return id
  }

  /** What the mail server and its readers would have done. */
  async function deliver(campaignId: number, sentAt: Date): Promise<void> {
    const where = { accountId: ctx.accountId, campaignId }
    const { count: sentTo } = await ctx.db.mailRecipient.updateMany({ where, data: { state: 'SENT', sentAt } })
    await ctx.db.campaign.update({
      where: { accountId_id: { accountId: ctx.accountId, id: campaignId } },
      data: { status: 'SENT', sentTo, sentAt },
    })
    const all = await ctx.db.mailRecipient.findMany({ where, select: { id: true }, orderBy: { contactId: 'asc' } })
    for (const { id: recipientId } of all) {
      if (draw(0, 1) > 0.45) continue
      clock.set(new Date(sentAt.getTime() + draw(0.1, 24) * hour))
      await tracking.recordOpen(ctx, { recipientId, userAgent: browser })
      if (draw(0, 1) < 0.25) await tracking.recordClick(ctx, { recipientId, userAgent: browser, url: shop })
    }
  }
}
