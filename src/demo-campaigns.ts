import { campaigns, sending } from './campaigns/index.ts'
import type { Ctx } from './kernel/context.ts'

const letters = [
  ['The kiln is on again', 'New bowls, straight from the fire.'],
  ['Open studio day', 'Come and see where it all is made.'],
] as const

/** Makes the campaigns of the demonstration: one on its way, one planned for next week, and one still being written. */
export async function addCampaigns(ctx: Ctx, tagId: number): Promise<void> {
  const [first, second] = [await written(...letters[0]), await written(...letters[1])]
  await sending.send(ctx, { id: first })
  const nextWeek = new Date(ctx.clock.now().getTime() + 7 * 24 * 3_600_000).toISOString().slice(0, 10)
  await sending.schedule(ctx, { id: second, scheduledFor: `${nextWeek} 10:00` })
  await campaigns.create(ctx, { name: 'Spring collection', subject: 'Something green is coming' })

  async function written(subject: string, text: string): Promise<number> {
    const audience = { filter: { includeTagIds: [tagId] } }
    const { id } = (await campaigns.create(ctx, { name: subject, subject, audience })).campaign
    await campaigns.setContent(ctx, { id, html: `<h1>${subject}</h1>\n<p>${text}</p>`, text })
    return id
  }
}
