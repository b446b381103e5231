import type { Ctx } from '../../db/context.ts'
import type { PerMinute } from '../../kernel/per-minute.ts'
import type { Signer } from '../../kernel/signer.ts'
import { readValues } from '../answer-value.ts'
import { ofSubmission } from '../answers.ts'
import { type Arrival, arrivalOf, type Door, keepVisitor } from '../arrival.ts'
import { keepSitting, newSitting, sittingOf } from '../form-cookie.ts'
import type { OpenForm } from '../form-door.ts'
import { ofForm as outcomesOf } from '../outcome-list.ts'
import { ofForm, type Question } from '../question-list.ts'
import { ofClient, type Submission } from '../submission-list.ts'
import { keepTouches } from '../visitors.ts'
import { reachedOf, shownAnswers, shownForm, shownSubmission } from './answer.ts'
import { outcomePage, questionPage, sendPage } from './page.ts'
import { type Given, goesOnAt, shownOf, slugOf } from './steps.ts'

/** Someone at the page of a form. */
export interface Guest extends OpenForm {
  readonly door: Door
  readonly signer: Signer
  /** The address that the request came from. */
  readonly ip: string
  /** Whether a program asks, and is answered in JSON. */
  readonly isProgram: boolean
  /** Bounds how many looks are kept. */
  readonly looks: PerMinute
}

/** What is answered: a page, JSON, or where to go from here, as an address beside this one. */
export type Reply =
  | { readonly status: number; readonly page: string }
  | { readonly status: number; readonly json: object }
  | { readonly location: string }

/**
 * Shows a form: to a visitor the question where they go on, or what they ended with; to a program all that is asked, and
 * what was answered by whoever brings the form's cookie. Nothing of a submission is stored for it.
 */
export async function show(guest: Guest): Promise<Reply> {
  const { ctx, form, door, signer } = guest
  const query = new URLSearchParams(door.querystring)
  if (query.has('again')) return beginAnew(guest)
  const questions = await ctx.load(ofForm, form.id)
  const sitting = sittingOf(door, signer, form)
  const submission = sitting && (await ofClient(ctx, form.id, sitting.clientSubmissionId))
  const given = await givenOf(ctx, submission)
  if (guest.isProgram) {
    const shown = submission && {
      ...shownSubmission(submission, await ctx.load(outcomesOf, form.id)),
      answers: shownAnswers(questions, given),
    }
    return { status: 200, json: { form: shownForm(form, questions), submission: shown ?? null } }
  }
  await welcome(guest, arrivalOf(door, signer, form.accountId))
  if (submission?.status === 'COMPLETED') return { status: 200, page: await endOf(guest, submission) }
  if (!sitting) keepSitting(door, signer, newSitting(form))
  const hidden = hiddenOf(questions, query, given)
  const wanted = shownOf(questions).find(({ id }) => String(id) === query.get('q'))
  const question = wanted ?? goesOnAt(questions, given)
  if (!question) return { status: 200, page: sendPage(form, hidden) }
  const isOnTheWay = wanted !== undefined || given.size > 0
  return { status: 200, page: questionPage({ form, questions, question, given, hidden, isOnTheWay }) }
}

/** Leaves the submission as it is and begins another one. */
export function beginAnew({ form, door, signer }: Guest): Reply {
  keepSitting(door, signer, newSitting(form))
  return { location: String(form.id) }
}

/** What a completed submission ended with, as a page. */
export async function endOf({ ctx, form }: Guest, submission: Submission): Promise<string> {
  return outcomePage(form, reachedOf(submission, await ctx.load(outcomesOf, form.id)))
}

/** Keeps what led a visitor here, and lets the browser keep who it is. */
export async function welcome({ ctx, door, signer, looks, ip }: Guest, arrival: Arrival): Promise<void> {
  const { visitor, touch, isNew } = arrival
  if (Object.keys(touch).length > 0 && looks.take(ctx.accountId, ip)) {
    await keepTouches(ctx, [{ visitorId: visitor.id, attribution: touch, at: ctx.clock.now() }])
  }
  if (isNew) keepVisitor(door, signer, visitor)
}

/** What was answered so far, by question. */
export async function givenOf(ctx: Ctx, submission: Submission | undefined): Promise<Given> {
  const answers = submission ? await ctx.load(ofSubmission, submission.id) : []
  return new Map(answers.map((answer) => [answer.questionId, answer]))
}

/** What an address says for the questions that nobody sees. A link that says what a question does not take says nothing. */
function hiddenOf(questions: readonly Question[], query: URLSearchParams, given: Given): Map<number, string> {
  const hidden = new Map<number, string>()
  for (const question of questions) {
    if (question.type !== 'HIDDEN' || given.has(question.id)) continue
    const said = query.get(slugOf(question.label)) ?? query.get(question.label) ?? ''
    const read = readValues(question, [said])
    const [value] = 'values' in read ? read.values : []
    if (value !== undefined) hidden.set(question.id, value)
  }
  return hidden
}
