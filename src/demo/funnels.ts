import type { FunnelStep } from '../../prisma/generated/client/client.ts'
import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { questionList, submissions } from '../forms/index.ts'
import { contents, funnelEmails, funnels, steps, visits } from '../funnels/index.ts'
import type { settableClock } from '../kernel/clock.ts'
import { confirmationMessage, guidePage, receivedPage, shopPage, thanksPage } from './pages.ts'

const hour = 3_600_000
const people = 60
const sources = ['newsletter', 'instagram', 'search'] as const

/** Titles and documents of the pages. */
const guide = [
  ['Glaze guide', guidePage],
  ['Thank you', thanksPage],
] as const
const shop = [
  ['Spring bowls', shopPage],
  ['Order received', receivedPage],
] as const
type Page = (typeof guide | typeof shop)[number]

/**
 * Creates a lead funnel and a sales funnel with pages, visits of the last weeks, and opt-ins that add a tag. The account must
 * have a subdomain.
 */
export async function addFunnels(ctx: Ctx, clock: ReturnType<typeof settableClock>, tagId: number): Promise<void> {
  const now = clock.now()
  const [first, thanks] = await createFunnel('Glaze guide', 'LEAD', guide)
  const [bowls] = await createFunnel('Spring bowls', 'SALES', shop)
  if (!first || !thanks || !bowls) throw new Error('A funnel of the demonstration has no steps.')
  await steps.update(ctx, { id: first.id, tagIds: [tagId] })
  await funnelEmails.set(ctx, {
    id: first.funnelId,
    subject: 'One click, and the glaze guide is yours',
    content: confirmationMessage,
  })
  const questions = await ctx.load(questionList.ofForm, first.formId)
  const page = await contactList.list(ctx, { first: people, orderBy: [{ field: 'CREATED_AT', direction: 'ASC' }] })
  const { rows } = await page.content()
  for (const [index, { id, email, firstName }] of rows.entries()) {
    clock.set(new Date(now.getTime() - (people - index) * 9 * hour))
    const attribution = [{ key: 'utm_source' as const, value: sources[index % sources.length] as string }]
    const recordVisit = (step: FunnelStep) =>
      visits.record(ctx, { stepId: step.id, visitorId: `visitor-${id}`, contact: { id }, attribution })
    await recordVisit(first)
    if (index % 3 === 0) await recordVisit(bowls)
    if (index % 4 !== 0) continue
    const answers = questions.map((question) => ({
      questionId: question.id,
      values: [question.type === 'EMAIL' ? email : firstName],
    }))
    await submissions.save(ctx, { formId: first.formId, contact: { id }, answers, attribution, complete: true })
    await recordVisit(thanks)
  }
  clock.set(now)

  async function createFunnel(name: string, type: 'LEAD' | 'SALES', pages: readonly Page[]): Promise<FunnelStep[]> {
    const { funnel } = await funnels.create(ctx, { name, type })
    const created: FunnelStep[] = []
    for (const [title, content] of pages) {
      const { step } = await steps.create(ctx, { funnelId: funnel.id, name: title, title })
      created.push((await contents.set(ctx, { id: step.id, content })).step)
    }
    return created
  }
}
