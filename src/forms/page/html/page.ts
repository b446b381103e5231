import { createHash } from 'node:crypto'
import { type Html, html, type Part, trusted } from '../../../kernel/web/html.ts'
import type { Form } from '../../form/form-list.ts'
import type { Question } from '../../form/question-list.ts'
import { passName } from '../../visitors/pass-name.ts'
import { pageCss, pageScript } from './assets.ts'
import { controlName, renderControl, renderHoneypot } from './control.ts'
import { type AnswerMap, adjacentQuestion, visibleQuestions } from './question-order.ts'

/** Pages may post to this host, and use only the inline style and script with these hashes. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hashOf(pageCss)}'`,
  `script-src 'sha256-${hashOf(pageScript)}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** Input of the page of one question. */
interface QuestionView {
  readonly form: Form
  readonly questions: readonly Question[]
  readonly question: Question
  readonly answers: AnswerMap
  /** Rejected values of the post. They are shown instead of the stored answer. */
  readonly rejected?: { readonly values: readonly string[]; readonly fault: string } | undefined
  /** Values of hidden questions, by question ID. */
  readonly hiddenValues: ReadonlyMap<number, string>
  /** Whether the visitor comes from another question. Controls that are typed into get the focus then. */
  readonly isContinued: boolean
  /** Pass of the visitor, which the form posts. Only for an isolated page. */
  readonly pass?: string | undefined
}

/** Renders the page of one question. Its form posts the ID of the question, and whether more questions follow. */
export function renderQuestionPage(view: QuestionView): string {
  const { form, questions, question, answers, rejected, isContinued } = view
  const visible = visibleQuestions(questions)
  const position = visible.findIndex(({ id }) => id === question.id) + 1
  const [back, next] = [adjacentQuestion(questions, question.id, -1), adjacentQuestion(questions, question.id, 1)]
  const isTyped = !['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'YES_NO', 'RATING', 'OPINION_SCALE'].includes(question.type)
  const state = {
    values: rejected?.values ?? answers.get(question.id)?.values,
    fault: rejected?.fault,
    isFocused: rejected !== undefined || (isContinued && isTyped),
  }
  const key = submitKey(question)
  const isLong = question.type === 'STATEMENT' && question.label.length > 90
  return renderFormDocument(
    `${rejected ? 'Please check: ' : ''}${question.label}`,
    form,
    html`<header><progress class="bar" max="${visible.length}" value="${position - 1}" aria-label="Progress"></progress>
<h1>${form.name}</h1></header>
<main><form class="card${isLong && ' long'}" method="post" action="${form.id}" novalidate>
<p class="step">${position} <small>of ${visible.length}</small></p>
${renderControl(question, state)}
<input type="hidden" name="at" value="${question.id}">${next && html`<input type="hidden" name="complete" value="false">`}
${renderHiddenInputs(view.hiddenValues)}${renderPass(view.pass)}${renderHoneypot()}
<div class="go"><button class="q-button">${buttonLabel(question, next !== undefined)}</button>
${key !== null && html`<span class="hint" aria-hidden="true">press <kbd>${key}</kbd></span>`}
${back && html`<a class="back" href="?q=${back.id}"><span aria-hidden="true">←</span> Back</a>`}</div>
</form></main>
<script>${trusted(pageScript)}</script>`,
  )
}

/** Renders the page of a form without visible questions: only a submit button. */
export function renderSubmitPage(
  form: Form,
  { hiddenValues, pass }: Pick<QuestionView, 'hiddenValues' | 'pass'>,
): string {
  return renderFormDocument(
    '',
    form,
    html`<main><form class="card end" method="post" action="${form.id}"><h1>${form.name}</h1>
${renderHiddenInputs(hiddenValues)}${renderPass(pass)}${renderHoneypot()}<p><button class="q-button">Submit</button></p></form></main>`,
  )
}

/** Renders the outcome of a completed submission. Empty lines in its text separate paragraphs. */
export function renderOutcomePage(form: Form, outcome: { title: string; text: string } | null): string {
  const { title, text } = outcome ?? { title: 'Thank you!', text: 'Your answers have been received.' }
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
  return renderFormDocument(
    title,
    form,
    html`<header><h1>${form.name}</h1></header>
<main><div class="card end"><div class="tick"></div>
<h2>${title}</h2>${paragraphs.map((each) => html`<p>${each.trim()}</p>`)}
<form method="post" action="${form.id}"><button class="quiet" name="again" value="1">Fill it in again</button></form></div></main>`,
  )
}

/** Renders a page with a single message, such as an error. */
export function renderMessagePage(title: string, sentence: string): string {
  return renderDocument(title, html`<main><div class="card end"><h1>${title}</h1><p>${sentence}</p></div></main>`)
}

/** Returns the key that submits the page; null for a menu, which uses the Enter key itself. */
function submitKey({ type }: Question): string | null {
  if (type === 'DROPDOWN') return null
  return type === 'LONG_TEXT' ? 'Ctrl + Enter' : 'Enter ↵'
}

function buttonLabel({ type }: Question, hasNext: boolean): string {
  if (!hasNext) return 'Submit'
  return type === 'STATEMENT' ? 'Continue' : 'Next'
}

function renderHiddenInputs(values: ReadonlyMap<number, string>): Html[] {
  return [...values].map(([id, value]) => html`<input type="hidden" name="${controlName(id)}" value="${value}">`)
}

function renderPass(pass: string | undefined): Html | null {
  return pass === undefined ? null : html`<input type="hidden" name="${passName}" value="${pass}">`
}

function renderFormDocument(title: string, { name }: Form, body: Part): string {
  return renderDocument(title === '' ? name : `${truncateTitle(title)} – ${name}`, body)
}

function renderDocument(title: string, body: Part): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${trusted(pageCss)}</style>
</head>
<body>
${body}
</body>
</html>
`.text
}

function truncateTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ')
  return [...line].length > 80 ? `${[...line].slice(0, 79).join('')}…` : line
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
