import { accounts } from '../account/index.ts'
import { campaigns, sending } from '../campaigns/index.ts'
import { topics } from '../contacts/index.ts'
import { brands } from '../content/index.ts'
import type { Ctx } from '../db/context.ts'
import { templates } from '../mail/index.ts'
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

/** The content of a draft, as blocks. */
const springContent = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            {
              type: 'heading',
              level: 1,
              align: 'center',
              content: [{ type: 'text', text: 'Something green is coming' }],
            },
            {
              type: 'text',
              content: {
                type: 'doc',
                content: [
                  {
                    type: 'paragraph',
                    content: [
                      { type: 'text', text: 'Hello ' },
                      { type: 'mergeField', attrs: { name: 'FIRST_NAME', fallback: 'there' } },
                      { type: 'text', text: ', the first celadon bowls left the kiln this week.' },
                    ],
                  },
                ],
              },
            },
            { type: 'button', text: 'See the bowls', href: shopUrl },
          ],
        },
      ],
    },
    {
      type: 'section',
      backgroundColor: '#dfeae2',
      columns: [
        { blocks: [{ type: 'product', name: 'Rice bowl', price: '38.00 EUR', href: shopUrl }] },
        { blocks: [{ type: 'product', name: 'Tea bowl', price: '42.00 EUR', href: shopUrl }] },
      ],
    },
    { type: 'section', columns: [{ blocks: [{ type: 'social' }, { type: 'footer' }] }] },
  ],
}

/** Sends a campaign to the contacts with a tag, at the current time of the demonstration. */
export async function sendCampaign(ctx: Ctx, mailer: DemoMailer, index: number, tagId: number): Promise<void> {
  const [subject, text] = sentCampaigns[index] ?? sentCampaigns[0]
  const id = await createCampaign(ctx, subject, text, tagId)
  await sending.send(ctx, { id })
  await mailer.deliver(id)
}

/** Creates a campaign that is being sent, one that is scheduled for next week, and a draft with a template of its content. */
export async function addCampaigns(ctx: Ctx, tagId: number): Promise<void> {
  const [first, second] = [
    await createCampaign(ctx, ...latestCampaigns[0], tagId),
    await createCampaign(ctx, ...latestCampaigns[1], tagId),
  ]
  await sending.send(ctx, { id: first })
  const nextWeek = new Date(ctx.clock.now().getTime() + 7 * 24 * 3_600_000).toISOString().slice(0, 10)
  await sending.schedule(ctx, { id: second, scheduledFor: `${nextWeek} 10:00` })
  const subject = 'Something green is coming'
  await brands.update(ctx, {
    accentColor: '#2f6b52',
    backgroundColor: '#eef3ee',
    font: 'GEORGIA',
    address: 'Atelier Rosalie\n1 Mill Lane, Ghent',
    links: [{ network: 'INSTAGRAM', href: 'https://instagram.example/atelier-rosalie' }],
  })
  await accounts.updateOwn(ctx, { frequencyCap: { messages: 5, days: 7 } })
  const draft = { name: 'Spring collection', subject, preheader: 'Celadon, in April' }
  const sendWindow = { from: '09:00', until: '18:00' }
  const topicId = await createTopics(ctx)
  const { id } = (await campaigns.create(ctx, { ...draft, topicId, sendWindow, spreadHours: 2 })).campaign
  await campaigns.setContent(ctx, { id, content: springContent })
  await templates.create(ctx, { name: 'New from the kiln', content: springContent })
}

/** Creates two topics, and returns the id of the one that everyone gets. */
async function createTopics(ctx: Ctx): Promise<number> {
  const translations = [
    { language: 'fr', name: 'Nouveautés', description: 'Ce qui sort du four, une fois par saison.' },
  ]
  const description = 'What leaves the kiln, once in each season.'
  const news = await topics.create(ctx, { name: 'New pieces', audience: 'EVERYONE', description, translations })
  const workshops = { name: 'Workshops', description: 'Places that are free.' }
  await topics.create(ctx, { ...workshops, audience: 'JOINED' })
  return news.topic.id
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
