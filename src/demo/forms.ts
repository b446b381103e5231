import { contactList } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { forms, questionList, submissions } from '../forms/index.ts'
import type { settableClock } from '../kernel/clock.ts'

const day = 86_400_000
const people = 48

const reasons = ['A gift', 'For my own table', 'For a restaurant']
const colours = ['Celadon', 'Iron red', 'Bare clay']
const remarks = ['Do you ship to Portugal?', 'I loved the workshop.', 'Could you make twelve of one kind?']

/**
 * Creates a quiz with outcomes, 48 submissions of the last three weeks, and a draft survey. A sixth of the submissions is
 * abandoned. `random` must return the same numbers each time.
 */
export async function addForms(
  ctx: Ctx,
  clock: ReturnType<typeof settableClock>,
  random: (from: number, to: number) => number,
): Promise<void> {
  const now = clock.now()
  clock.set(new Date(now.getTime() - 21 * day))
  const { form } = await forms.create(ctx, {
    name: 'Which bowl is yours?',
    warmFrom: '4',
    hotFrom: '8',
    questions: [
      {
        label: 'What are you looking for?',
        type: 'SINGLE_CHOICE',
        required: true,
        options: reasons,
        points: reasons.map((answer, index) => ({ answer, points: String(index * 2) })),
      },
      { label: 'Which glazes do you like?', type: 'MULTIPLE_CHOICE', options: colours },
      {
        label: 'Have you been to the atelier?',
        type: 'YES_NO',
        required: true,
        points: [{ answer: 'yes', points: '2.5' }],
      },
      {
        label: 'How much do you like to cook?',
        type: 'RATING',
        points: ['1', '2', '3', '4', '5'].map((answer) => ({ answer, points: answer })),
      },
      { label: 'Anything else?', type: 'LONG_TEXT' },
      { label: 'Where shall we send your result?', type: 'EMAIL', required: true },
      { label: 'Yes, send me news from the atelier.', type: 'CONSENT' },
    ],
    outcomes: [
      { key: 'large', title: 'The large serving bowl', text: 'For those who feed many.', bucket: 'HOT' },
      { key: 'everyday', title: 'The everyday bowl', text: 'Fits the hand and the dishwasher.', bucket: 'WARM' },
      { key: 'tea', title: 'The tea bowl', text: 'Begin with a small one.', bucket: 'COLD' },
    ],
  })
  await forms.publish(ctx, { id: form.id })
  const questions = await ctx.load(questionList.ofForm, form.id)
  const page = await contactList.list(ctx, { first: people, orderBy: [{ field: 'CREATED_AT', direction: 'ASC' }] })
  const { rows } = await page.content()
  for (const [index, { email }] of rows.entries()) {
    clock.set(new Date(now.getTime() - 20 * day + (index * 20 * day) / people))
    const pick = (values: readonly string[]) => values[Math.floor(random(0, values.length))] as string
    const values: string[][] = [
      [pick(reasons)],
      colours.filter(() => random(0, 1) < 0.5),
      [random(0, 1) < 0.4 ? 'yes' : 'no'],
      [pick(['1', '2', '3', '4', '5'])],
      random(0, 1) < 0.3 ? [pick(remarks)] : [],
      [email],
      [random(0, 1) < 0.5 ? 'true' : 'false'],
    ]
    const answers = questions.map(({ id }, index) => ({ questionId: id, values: values[index] ?? [] }))
    const isAbandoned = index % 6 === 5
    await submissions.save(ctx, {
      formId: form.id,
      clientSubmissionId: `visitor ${index}`,
      answers: isAbandoned ? answers.slice(0, 3) : answers,
      attribution: index % 3 === 0 ? [{ key: 'utm_source', value: pick(['newsletter', 'instagram']) }] : [],
      complete: !isAbandoned,
    })
  }
  clock.set(now)
  await forms.create(ctx, {
    name: 'How was your workshop?',
    type: 'SURVEY',
    questions: [
      { label: 'How likely are you to recommend it?', type: 'OPINION_SCALE', required: true },
      { label: 'What should we do better?', type: 'LONG_TEXT' },
    ],
  })
}
