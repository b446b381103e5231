import { createHash } from 'node:crypto'
import { type Html, html, type Part, trusted } from '../../kernel/html.ts'
import type { Form } from '../form-list.ts'
import type { Question } from '../question-list.ts'
import { control, controlName, honeypot } from './control.ts'
import { look } from './look.ts'
import { script } from './script.ts'
import { beside, type Given, shownOf } from './steps.ts'

/** What pages may do: show themselves and post to where they came from. Style and script are known by their hashes. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hashOf(look)}'`,
  `script-src 'sha256-${hashOf(script)}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

/** A question in its place. */
export interface QuestionView {
  readonly form: Form
  readonly questions: readonly Question[]
  readonly question: Question
  readonly given: Given
  /** What was posted and refused, in the place of what is kept. */
  readonly refused?: { readonly values: readonly string[]; readonly fault: string } | undefined
  /** Answers to questions that nobody sees. */
  readonly hidden: ReadonlyMap<number, string>
  /** Whether the visitor has come from a question before. */
  readonly isOnTheWay: boolean
}

/** The page of one question: what is posted from it names the question, and whether it is the last one. */
export function questionPage(view: QuestionView): string {
  const { form, questions, question, given, refused, isOnTheWay } = view
  const all = shownOf(questions)
  const place = all.findIndex(({ id }) => id === question.id) + 1
  const [back, next] = [beside(questions, question.id, -1), beside(questions, question.id, 1)]
  const isTyped = !['SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'YES_NO', 'RATING', 'OPINION_SCALE'].includes(question.type)
  const shown = {
    values: refused?.values ?? given.get(question.id)?.values,
    fault: refused?.fault,
    isFocused: refused !== undefined || (isOnTheWay && isTyped),
  }
  const enter = keysFor(question)
  const isLong = question.type === 'STATEMENT' && question.label.length > 90
  return page(
    `${refused ? 'Please check: ' : ''}${question.label}`,
    form,
    html`<header><progress class="bar" max="${all.length}" value="${place - 1}" aria-label="How much is done"></progress>
<h1>${form.name}</h1></header>
<main><form class="card${isLong && ' long'}" method="post" action="${form.id}" novalidate>
<p class="step">${place} <small>of ${all.length}</small></p>
${control(question, shown)}
<input type="hidden" name="at" value="${question.id}">${next && html`<input type="hidden" name="complete" value="false">`}
${hiddenOf(view.hidden)}${honeypot()}
<div class="go"><button class="q-button">${wordsFor(question, next !== undefined)}</button>
${enter !== null && html`<span class="hint" aria-hidden="true">press <kbd>${enter}</kbd></span>`}
${back && html`<a class="back" href="?q=${back.id}"><span aria-hidden="true">←</span> Back</a>`}</div>
</form></main>
<script>${trusted(script)}</script>`,
  )
}

/** The page of a form that shows no question: all there is to do is to send it. */
export function sendPage(form: Form, hidden: ReadonlyMap<number, string>): string {
  return page(
    '',
    form,
    html`<main><form class="card end" method="post" action="${form.id}"><h1>${form.name}</h1>
${hiddenOf(hidden)}${honeypot()}<p><button class="q-button">Submit</button></p></form></main>`,
  )
}

/** What a form ends with; the text is its author's, in paragraphs. */
export function outcomePage(form: Form, outcome: { title: string; text: string } | null): string {
  const { title, text } = outcome ?? { title: 'Thank you!', text: 'Your answers have been received.' }
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
  return page(
    title,
    form,
    html`<header><h1>${form.name}</h1></header>
<main><div class="card end"><div class="tick"></div>
<h2>${title}</h2>${paragraphs.map((each) => html`<p>${each.trim()}</p>`)}
<form method="post" action="${form.id}"><button class="quiet" name="again" value="1">Fill it in again</button></form></div></main>`,
  )
}

/** A page with one sentence: where there is no form, or nothing could be done. */
export function sentencePage(title: string, sentence: string): string {
  return whole(title, html`<main><div class="card end"><h1>${title}</h1><p>${sentence}</p></div></main>`)
}

/** What goes on without a mouse; a list that opens keeps the key for itself. */
function keysFor({ type }: Question): string | null {
  if (type === 'DROPDOWN') return null
  return type === 'LONG_TEXT' ? 'Ctrl + Enter' : 'Enter ↵'
}

function wordsFor({ type }: Question, hasNext: boolean): string {
  if (!hasNext) return 'Submit'
  return type === 'STATEMENT' ? 'Continue' : 'Next'
}

function hiddenOf(hidden: ReadonlyMap<number, string>): Html[] {
  return [...hidden].map(([id, value]) => html`<input type="hidden" name="${controlName(id)}" value="${value}">`)
}

function page(title: string, { name }: Form, body: Part): string {
  return whole(title === '' ? name : `${shortened(title)} – ${name}`, body)
}

function whole(title: string, body: Part): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${trusted(look)}</style>
</head>
<body>
${body}
</body>
</html>
`.text
}

function shortened(title: string): string {
  const line = title.replace(/\s+/g, ' ')
  return [...line].length > 80 ? `${[...line].slice(0, 79).join('')}…` : line
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
