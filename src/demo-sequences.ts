import type { Clock } from './kernel/clock.ts'
import type { Ctx } from './kernel/context.ts'
import { tracking } from './mail/index.ts'
import { advance, enrolments, sequences, stages } from './sequences/index.ts'

const week = 604_800
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0'

const letters = [
  ['Welcome to the atelier', 'Thank you for joining us. Here is what we make, and how.', 0, 3_600],
  ['How a bowl is made', 'Clay, water, fire, and three weeks of patience.', 3, 86_400],
  ['A little something for you', 'Ten per cent off your first order: the code is CLAY.', 1, week],
] as const

/** The sequences of the demonstration, and their past. */
export interface DemoSequences {
  readonly welcome: number
  /** Lets everything that is due until then happen, each at its time. */
  runUntil(end: Date): Promise<void>
}

/** Makes two sequences: letters that welcome a new contact, and a countdown to a workshop that some are enrolled in. */
export async function newDemoSequences(
  ctx: Ctx,
  clock: Clock & { set(to: Date): void },
  { customer, draw }: { customer: number; draw: (from: number, to: number) => number },
): Promise<DemoSequences> {
  const welcome = (await sequences.create(ctx, { name: 'Welcome' })).sequence.id
  for (const [subject, text, timeValue, timeType] of letters) await letter(welcome, subject, text, timeValue, timeType)
  const thanks = {
    name: 'Mark as customer',
    stageType: 'ACTION',
    action: { kind: 'ADD_TAG', tagId: customer },
  } as const
  await stages.create(ctx, { sequenceId: welcome, ...thanks })

  const workshop = (await sequences.create(ctx, { name: 'Workshop countdown', type: 'INVERTED' })).sequence.id
  await letter(workshop, 'Your workshop is in a week', 'Wear something that may get dirty.', 1, week)
  await letter(workshop, 'See you tomorrow', 'Doors open at half past nine.', 1, 86_400)
  return { welcome, runUntil }

  async function letter(sequenceId: number, subject: string, text: string, timeValue: number, timeType: number) {
    const { stage } = await stages.create(ctx, { sequenceId, name: subject, timeValue, timeType })
    await stages.setContent(ctx, { id: stage.id, subject, text, html: `<h1>${subject}</h1>\n<p>${text}</p>` })
    await stages.update(ctx, { id: stage.id, active: true })
  }

  async function runUntil(end: Date): Promise<void> {
    await enrolForWorkshop(end)
    for (;;) {
      const due = await ctx.db.enrolment.findFirst({
        where: { accountId: ctx.accountId, state: 'ACTIVE', dueAt: { lte: end } },
        orderBy: [{ dueAt: 'asc' }, { id: 'asc' }],
      })
      if (!due?.nextStageId || !due.dueAt) return
      clock.set(due.dueAt)
      await advance(ctx, { enrolmentId: due.id, stageId: due.nextStageId })
      await deliver({ ...due, stageId: due.nextStageId }, due.dueAt, end)
    }
  }

  async function enrolForWorkshop(end: Date): Promise<void> {
    const day = 86_400_000
    clock.set(new Date(end.getTime() - 20 * day))
    const guests = await ctx.db.contact.findMany({
      where: { accountId: ctx.accountId, emailMarketing: true, createdAt: { lt: clock.now() } },
      orderBy: { id: 'asc' },
      take: 24,
    })
    for (const { id } of guests) {
      const anchorDate = new Date(end.getTime() + 4 * day)
      await enrolments.subscribe(ctx, { contact: { id }, sequenceId: workshop, anchorDate })
    }
  }

  /** What the mail server and its readers would have done. */
  async function deliver(
    { id, contactId, sequenceId, stageId }: { id: number; contactId: number; sequenceId: number; stageId: number },
    sentAt: Date,
    end: Date,
  ): Promise<void> {
    const whom = { accountId: ctx.accountId, contactId, sequenceId, stageId, enrolmentId: id }
    const { id: recipientId } = await ctx.db.mailRecipient.create({
      data: { ...whom, state: 'SENT', createdAt: sentAt, sentAt },
    })
    const isOpened = draw(0, 1) < 0.55
    clock.set(new Date(Math.min(sentAt.getTime() + draw(0.1, 30) * 3_600_000, end.getTime())))
    if (isOpened) await tracking.recordOpen(ctx, { recipientId, userAgent: browser })
    const url = 'https://atelier-rosalie.example/shop'
    if (isOpened && draw(0, 1) < 0.3) await tracking.recordClick(ctx, { recipientId, userAgent: browser, url })
  }
}
