import { ownAccount } from '../../account/index.ts'
import { contactList } from '../../contacts/index.ts'
import { type Details, invalid, Refusal } from '../../kernel/errors.ts'
import { readValues } from '../answer-value.ts'
import { type GivenAnswer, missingOf } from '../answering.ts'
import { arrivalOf, isFromOurPage, keepVisitor } from '../arrival.ts'
import { keepSitting, newSitting, sittingOf } from '../form-cookie.ts'
import { afterPost, type Identity, identify, knownBy } from '../identify.ts'
import { ofForm as outcomesOf } from '../outcome-list.ts'
import { ofForm, type Question } from '../question-list.ts'
import type { Consent } from '../submission-contact.ts'
import { ofClient, type Submission } from '../submission-list.ts'
import { save } from '../submissions.ts'
import { typedOf } from '../typed.ts'
import { touchesOf } from '../visitors.ts'
import { shownSubmission } from './answer.ts'
import { honeypotName } from './control.ts'
import { outcomePage, questionPage } from './page.ts'
import { answersOf, type Posted } from './posted.ts'
import { beside, type Given, shownOf } from './steps.ts'
import { beginAnew, type Guest, givenOf, type Reply, welcome } from './visit.ts'

/** Someone who posts, with what they go on with. */
interface Sender {
  readonly guest: Guest
  readonly posted: Posted
  readonly questions: readonly Question[]
  readonly answers: readonly GivenAnswer[]
  readonly clientSubmissionId: string
  /** The submission as it is before. */
  readonly before: Submission | undefined
  /** Whether the browser may read the submission again: it began it, or proves that it knows it. */
  readonly isOwn: boolean
}

/**
 * Takes what was posted to a form: all answers at once, some of them, or that of the one question that our page showed. Each
 * is kept as soon as it is answered; the submission is found again by the visitor's own name for it, or by the cookie.
 * Fails with VALIDATION_ERROR naming `answers.<question id>`; to a visitor the page says so at the question.
 */
export async function take(guest: Guest, posted: Posted): Promise<Reply> {
  const { ctx, form, door, signer } = guest
  if (posted.isAgain) return beginAnew(guest)
  const questions = await ctx.load(ofForm, form.id)
  const sitting = sittingOf(door, signer, form)
  const clientSubmissionId = posted.clientSubmissionId ?? sitting?.clientSubmissionId
  const before = clientSubmissionId === undefined ? undefined : await ofClient(ctx, form.id, clientSubmissionId)
  const sender: Sender = {
    guest,
    posted,
    questions,
    answers: answersOf(questions, posted),
    clientSubmissionId: clientSubmissionId ?? newSitting(form).clientSubmissionId,
    before,
    isOwn: !before || clientSubmissionId === sitting?.clientSubmissionId,
  }
  if (posted.isTrapped) return pretend(sender)
  try {
    return posted.at === undefined ? await takeAll(sender) : await takeOne(sender, posted.at)
  } catch (error) {
    const page = guest.isProgram ? undefined : await atTheQuestion(sender, error)
    if (page === undefined) throw error
    return { status: 422, page }
  }
}

/** What our own page posts: one question, and whatever is hidden on it. */
async function takeOne(sender: Sender, at: number): Promise<Reply> {
  const { guest, posted, questions, answers, before } = sender
  const onward = { location: String(guest.form.id) }
  const question = shownOf(questions).find(({ id }) => id === at)
  // The visitor has come to the end in another window, or the question was taken out meanwhile.
  if (!question || before?.status === 'COMPLETED') return onward
  mustFit(question, answers)
  const next = beside(questions, at, 1)
  const isOver = posted.complete && !next
  if (isOver || before || answers.some(saysSomething)) await keepOne(sender, isOver)
  if (isOver || !next) return onward
  return { location: `?q=${next.id}` }
}

/** An answer stays though others before it are missing: the visitor is led to those. */
async function keepOne(sender: Sender, complete: boolean): Promise<void> {
  try {
    await keep(sender, complete)
  } catch (error) {
    if (!complete || !(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    await keep(sender, false)
    throw error
  }
}

/** What others post: many answers at once. */
async function takeAll(sender: Sender): Promise<Reply> {
  const { guest, posted, answers, before } = sender
  const isOurs = posted.values.has(honeypotName) && !guest.isProgram
  if (answers.length === 0 && !before && !isOurs && posted.clientSubmissionId === undefined) {
    throw invalid({ answers: ['are required'] })
  }
  const submission = await keepOrBegin(sender)
  if (!guest.isProgram) return { location: String(guest.form.id) }
  const outcomes = await guest.ctx.load(outcomesOf, guest.form.id)
  return { status: 200, json: { submission: shownSubmission(submission, outcomes) } }
}

/** Other answers to a submission that is over, by a browser that names none: they begin another one. */
async function keepOrBegin(sender: Sender): Promise<Submission> {
  try {
    return await keep(sender, sender.posted.complete)
  } catch (error) {
    const isOver = sender.before?.status === 'COMPLETED' && sender.posted.clientSubmissionId === undefined
    if (!isOver || !(error instanceof Refusal)) throw error
    const { clientSubmissionId } = newSitting(sender.guest.form)
    return keep({ ...sender, clientSubmissionId, before: undefined, isOwn: true }, sender.posted.complete)
  }
}

async function keep(sender: Sender, complete: boolean): Promise<Submission> {
  const { guest, posted, answers, clientSubmissionId } = sender
  const { ctx, form, door, signer } = guest
  const arrival = arrivalOf(door, signer, form.accountId)
  const isHere = !guest.isProgram && isFromOurPage(door)
  if (isHere) await welcome(guest, arrival)
  const { doubleOptIn, trustTypedAddresses } = await ownAccount(ctx)
  const identity = await identify(ctx, arrival.visitor, trustTypedAddresses && !doubleOptIn)
  const isUnproven = doubleOptIn && (await isToBeProven(sender, identity))
  const { submission, isCreated, isOwn } = await save(ctx, {
    formId: form.id,
    clientSubmissionId,
    answers,
    contact: knownContact(sender, identity),
    attribution: posted.attribution,
    touches:
      isHere || !arrival.isNew
        ? await touchesOf(ctx, arrival.visitor.id)
        : { first: arrival.touch, last: arrival.touch },
    complete,
    person: { consent: await consentOf(sender, complete && isUnproven) },
    isUnproven,
    identity,
  })
  if (sender.isOwn) keepSitting(door, signer, { form, clientSubmissionId })
  const typed = await typedOf(ctx, sender.questions, answers)
  // Whether the address was known must not be seen, so the cookie is set whenever something of a contact was typed.
  if (Object.keys(typed).length > 0 && isFromOurPage(door)) {
    const contactId = isUnproven ? null : submission.contactId
    const known = saysWho(sender) ? knownBy(identity, { contactId, isCreated, isOwn }) : undefined
    keepVisitor(door, signer, afterPost(arrival.visitor, { typed, known }, ctx.clock.now()))
  }
  return submission
}

/** Whether it is yet to be proven that the address of a submission is its visitor's own. */
async function isToBeProven({ guest: { ctx }, questions, answers, before }: Sender, identity: Identity) {
  const proven = identity.isProven ? identity.contactId : null
  const addressed = addressOf(questions, answers)
  if (addressed !== undefined) {
    const contact = await contactList.find(ctx, { email: addressed })
    return contact === null || contact.id !== proven
  }
  return before != null && before.contactId !== null && before.contactId !== proven
}

/** What the visitor agrees to: just now, or before where the whole of it is looked at. */
async function consentOf(
  { guest, questions, answers, before }: Sender,
  isWhole: boolean,
): Promise<Consent | undefined> {
  const given = isWhole ? await givenOf(guest.ctx, before) : new Map()
  const agreed = questions.find(({ id, type }) => {
    if (type !== 'CONSENT') return false
    const values = answers.find(({ questionId }) => questionId === id)?.values ?? given.get(id)?.values ?? []
    return values.includes('true')
  })
  return agreed && { source: `form:${guest.form.id}`, text: agreed.label, ip: guest.ip }
}

/** The contact that the browser is known as, where the submission is nobody's and does not say itself whose it is. */
function knownContact({ questions, answers, before }: Sender, { contactId }: Identity) {
  if (contactId === null || (before && before.contactId !== null)) return null
  return addressOf(questions, answers) === undefined ? { id: contactId } : null
}

/** Whether the visitor has typed an address: one that came with a link says nothing of who follows it. */
function saysWho({ questions, answers }: Sender): boolean {
  return (
    addressOf(
      questions.filter(({ type }) => type === 'EMAIL'),
      answers,
    ) !== undefined
  )
}

/** The address among the answers, as far as it is one. */
function addressOf(questions: readonly Question[], answers: readonly GivenAnswer[]): string | undefined {
  const question = questions.find(({ contactField }) => contactField === 'EMAIL')
  const given = question && answers.find(({ questionId }) => questionId === question.id)?.values
  const read = question && given ? readValues(question, given) : undefined
  return read && 'values' in read ? read.values[0] : undefined
}

function saysSomething({ values }: GivenAnswer): boolean {
  return values?.some((value) => value.trim() !== '') === true
}

/** Answers a machine as though all were well, and keeps nothing. */
function pretend({ guest, posted, questions, clientSubmissionId }: Sender): Reply {
  const { form, isProgram } = guest
  const isOver = posted.complete
  if (isProgram) {
    const status = isOver ? ('COMPLETED' as const) : ('IN_PROGRESS' as const)
    const nothing = { status, score: '0', bucket: 'COLD' as const, outcomeKey: null, outcomeTitle: null }
    return { status: 200, json: { submission: shownSubmission({ clientSubmissionId, ...nothing }, []) } }
  }
  const next = posted.at === undefined ? undefined : beside(questions, posted.at, 1)
  return next && !isOver ? { location: `?q=${next.id}` } : { status: 200, page: outcomePage(form, null) }
}

/** Fails with VALIDATION_ERROR where the question that was shown does not take its answer, or must have one. */
function mustFit(question: Question, answers: readonly GivenAnswer[]): void {
  const { id } = question
  const read = readValues(question, answers.find(({ questionId }) => questionId === id)?.values ?? [])
  if ('fault' in read) throw invalid({ [`answers.${id}`]: [read.fault] })
  const given: Given = new Map(read.values.length > 0 ? [[id, read]] : [])
  const [missing] = missingOf([question], given)
  if (missing) throw invalid({ [`answers.${id}`]: [missing[1]] })
}

/** The page of the first question that something is wrong with; undefined where nothing is that a page could show. */
async function atTheQuestion(sender: Sender, error: unknown): Promise<string | undefined> {
  if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') return undefined
  const { guest, questions, answers } = sender
  const { ctx, form } = guest
  const details: Details = error.details ?? {}
  const question = shownOf(questions).find(({ id }) => details[`answers.${id}`])
  const [fault] = (question && details[`answers.${question.id}`]) ?? []
  if (!question || fault === undefined) return undefined
  const given = await givenOf(ctx, await ofClient(ctx, form.id, sender.clientSubmissionId))
  const posted = answers.find(({ questionId }) => questionId === question.id)?.values
  const values = posted ?? given.get(question.id)?.values ?? []
  const refused = { values: values.filter((value) => value !== ''), fault: `This ${fault}.` }
  return questionPage({ form, questions, question, given, refused, hidden: new Map(), isOnTheWay: true })
}
