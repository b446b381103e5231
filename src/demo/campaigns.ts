import { campaigns, sending } from '../campaigns/index.ts'
import type { Ctx } from '../db/context.ts'
import { type DemoMailer, shopUrl } from './mail.ts'

/** Subjects and texts of the campaigns that are sent during the demonstrated weeks. */
export const sentCampaigns = [
  ['A new season of clay', 'What we have been up to over the summer.'],
  ['Seconds, at half the price', 'Small flaws, honest bowls: while they last.'],
  ['Inside the glaze kitchen', 'How celadon gets its green.'],
  ['Gift guide', 'Something for everyone who eats.'],
] as const
const latestCampaigns = [
  ['The kiln is on again', 'New bowls, straight from the fire.'],
  ['Open studio day', 'Come and see where it all is made.'],
] as const

/** Sends a campaign to the contacts with a tag, at the current time of the demonstration. */
export async function sendCampaign(ctx: Ctx, mailer: DemoMailer, index: number, tagId: number): Promise<void> {
  const [subject, text] = sentCampaigns[index] ?? sentCampaigns[0]
  const id = await createCampaign(ctx, subject, text, tagId)
  await sending.send(ctx, { id })
  await mailer.deliver(id)
}

/** Creates a campaign that is being sent, one that is scheduled for next week, and a draft. */
export async function addCampaigns(ctx: Ctx, tagId: number): Promise<void> {
  const [first, second] = [
    await createCampaign(ctx, ...latestCampaigns[0], tagId),
    await createCampaign(ctx, ...latestCampaigns[1], tagId),
  ]
  await sending.send(ctx, { id: first })
  const nextWeek = new Date(ctx.clock.now().getTime() + 7 * 24 * 3_600_000).toISOString().slice(0, 10)
  await sending.schedule(ctx, { id: second, scheduledFor: `${nextWeek} 10:00` })
  await campaigns.create(ctx, { name: 'Spring collection', subject: 'Something green is coming' })
}

async function createCampaign(ctx: Ctx, subject: string, text: string, tagId: number): Promise<number> {
  const audience = { filter: { tags: { any: [tagId] } } }
  const { id } = (await campaigns.create(ctx, { name: subject, subject, audience })).campaign
  const html = `<h1>${subject}</h1>
<p>Hello {{FIRST_NAME:there}},</p>
<p>${text}</p>
<p><a href="${shopUrl}">To the shop</a></p>`
  await campaigns.setContent(ctx, { id, html, text: `Hello {{FIRST_NAME:there}},\n\n${text}\n\n${shopUrl}` })
  return id
}
