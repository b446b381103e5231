import { createHash } from 'node:crypto'
import { directionOf, type TextKey, type Texts } from '../../../kernel/texts/texts.ts'
import { type Html, html, type Part, trusted } from '../../../kernel/web/html.ts'
import type { MessagePage } from '../../../kernel/web/message-page.ts'
import type { Form } from '../../form/form-list.ts'
import type { Question } from '../../form/question-list.ts'
import { isDeclaration } from '../../form/question-types.ts'
import { passName } from '../../visitors/pass-name.ts'
import { pageCss, pageScript } from './assets.ts'
import { controlName, renderControl, renderHoneypot } from './control.ts'
import { type AnswerMap, adjacentQuestion, visibleQuestions } from './question-order.ts'

/** A form as a visitor sees it. */
export type StyledForm = Form & {
  /** CSS of the account after that of the page, whose values are validated. Empty without a brand. */
  readonly style: string
  readonly texts: Texts
}

const [scriptHash, plainStyleHash] = [hashOf(pageScript), hashOf(pageCss)]

/** Pages may post to this host, and use only the inline style and script with these hashes. */
export function contentSecurityPolicy(style = ''): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${style === '' ? plainStyleHash : hashOf(`${pageCss}${style}`)}'`,
    `script-src 'sha256-${scriptHash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}

/** Input of the page of one question. */
interface QuestionView {
  readonly form: StyledForm
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
  const { texts } = form
  const { text } = texts
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
    rejected ? text('form.check', { question: question.label }) : question.label,
    form,
    html`<header><progress class="bar" max="${visible.length}" value="${position - 1}" aria-label="${text('form.progress')}"></progress>
<h1>${form.name}</h1></header>
<main><form class="card${isLong && ' long'}" method="post" action="?" novalidate>
<p class="step"><bdi dir="${directionOf(texts.language)}">${position} <small>${text('form.of', { count: visible.length })}</small></bdi></p>
${renderControl(texts, question, state)}
<input type="hidden" name="at" value="${question.id}">${renderVersion(question)}${next && html`<input type="hidden" name="complete" value="false">`}
${renderHiddenInputs(view.hiddenValues)}${renderPass(view.pass)}${renderHoneypot(texts)}
<div class="go"><button class="q-button">${text(buttonLabel(question, next !== undefined))}</button>
${key !== null && html`<span class="hint" aria-hidden="true">${text('form.press', { key })}</span>`}
${back && html`<a class="back" href="?q=${back.id}"><span aria-hidden="true">←</span> ${text('form.back')}</a>`}</div>
</form></main>
<script>${trusted(pageScript)}</script>`,
  )
}

/** Renders the page of a form without visible questions: only a submit button. */
export function renderSubmitPage(
  form: StyledForm,
  { hiddenValues, pass }: Pick<QuestionView, 'hiddenValues' | 'pass'>,
): string {
  return renderFormDocument(
    '',
    form,
    html`<main><form class="card end" method="post" action="?"><h1>${form.name}</h1>
${renderHiddenInputs(hiddenValues)}${renderPass(pass)}${renderHoneypot(form.texts)}<p><button class="q-button">${form.texts.text('form.submit')}</button></p></form></main>`,
  )
}

/** Renders the outcome of a completed submission. Empty lines in its text separate paragraphs. */
export function renderOutcomePage(form: StyledForm, outcome: { title: string; text: string } | null): string {
  const { texts } = form
  const { title, text } = outcome ?? { title: texts.text('thanks.title'), text: texts.text('thanks.text') }
  const paragraphs = text.split(/\n\s*\n/).filter((each) => each.trim() !== '')
  return renderFormDocument(
    title,
    form,
    html`<header><h1>${form.name}</h1></header>
<main><div class="card end"><div class="tick"></div>
<h2>${title}</h2>${paragraphs.map((each) => html`<p>${each.trim()}</p>`)}
<form method="post" action="?"><button class="quiet" name="again" value="1">${texts.text('form.again')}</button></form></div></main>`,
  )
}

/** Renders a page with a single message, such as an error. */
export function renderMessagePage({
  language,
  title,
  sentence,
}: Required<Pick<MessagePage, 'language' | 'title' | 'sentence'>>): string {
  return renderDocument(
    language,
    title,
    html`<main><div class="card end"><h1>${title}</h1><p>${sentence}</p></div></main>`,
  )
}

/** Returns the key that submits the page; null for a menu, which uses the Enter key itself. */
function submitKey({ type }: Question): string | null {
  if (type === 'DROPDOWN') return null
  return type === 'LONG_TEXT' ? 'Ctrl + Enter' : 'Enter ↵'
}

function buttonLabel({ type }: Question, hasNext: boolean): TextKey {
  if (!hasNext) return 'form.submit'
  return type === 'STATEMENT' ? 'form.continue' : 'form.next'
}

function renderHiddenInputs(values: ReadonlyMap<number, string>): Html[] {
  return [...values].map(([id, value]) => html`<input type="hidden" name="${controlName(id)}" value="${value}">`)
}

/** A visitor accepts or agrees to the words that the page showed, which can be others when the post arrives. */
function renderVersion({ type, version }: Question): Html | null {
  return isDeclaration(type) ? html`<input type="hidden" name="version" value="${version}">` : null
}

function renderPass(pass: string | undefined): Html | null {
  return pass === undefined ? null : html`<input type="hidden" name="${passName}" value="${pass}">`
}

function renderFormDocument(title: string, { name, style, language, texts }: StyledForm, body: Part): string {
  return renderDocument(
    language === '' ? texts.language : language,
    title === '' ? name : `${truncateTitle(title)} – ${name}`,
    body,
    style,
  )
}

function renderDocument(language: string, title: string, body: Part, style = ''): string {
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${trusted(`${pageCss}${style}`)}</style>
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
