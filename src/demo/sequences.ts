import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { enrolments, sequences, stages } from '../sequences/index.ts'
import { shopUrl } from './mail.ts'

const day = 86_400
const week = 7 * day

const messages = [
  ['Welcome to the atelier', 'Thank you for joining us. Here is what we make, and how.', 0, 3_600],
  ['How a bowl is made', 'Clay, water, fire, and three weeks of patience.', 3, day],
  ['A little something for you', 'Ten per cent off your first order: the code is CLAY.', 1, week],
] as const

/** Ids of the sequences of the demonstration. */
interface DemoSequences {
  readonly welcome: number
  readonly workshop: number
}

/** Creates a welcome sequence that ends by adding a tag, and a countdown to a workshop. */
export async function addSequences(ctx: Ctx, customerTagId: number): Promise<DemoSequences> {
  const welcome = (await sequences.create(ctx, { name: 'Welcome' })).sequence.id
  for (const [subject, text, timeValue, timeType] of messages)
    await addMessage(welcome, subject, text, timeValue, timeType)
  const action = { addTagId: customerTagId } as const
  await stages.create(ctx, { sequenceId: welcome, name: 'Mark as customer', stageType: 'ACTION', action })

  const workshop = (await sequences.create(ctx, { name: 'Workshop countdown', type: 'INVERTED' })).sequence.id
  await addMessage(workshop, 'Your workshop is in a week', 'Wear something that may get dirty.', 1, week)
  await addMessage(workshop, 'See you tomorrow', 'Doors open at half past nine.', 1, day)
  return { welcome, workshop }

  async function addMessage(sequenceId: number, subject: string, text: string, timeValue: number, timeType: number) {
    const { stage } = await stages.create(ctx, { sequenceId, name: subject, timeValue, timeType })
    await stages.setContent(ctx, {
      id: stage.id,
      subject,
      text,
      html: `<h1>${subject}</h1>\n<p>${text}</p>\n<p><a href="${shopUrl}">To the shop</a></p>`,
    })
    await stages.update(ctx, { id: stage.id, active: true })
  }
}

/** Enrols 24 contacts in the countdown to a workshop in eleven days. */
export async function enrolForWorkshop(ctx: Ctx, sequenceId: number): Promise<void> {
  const anchorDate = new Date(ctx.clock.now().getTime() + 11 * day * 1000)
  const page = await contactList.list(ctx, { first: 24, filter: { emailMarketing: true } })
  const { rows } = await page.content()
  for (const { id } of rows) await enrolments.subscribe(ctx, { contact: { id }, sequenceId, anchorDate })
}
