import { type RichTextBody, richTextHtml } from '../../../content/rendering.ts'
import { listOf, numberOf, type Properties, propertiesOf, textOf } from '../styles/properties.ts'
import { safeColor } from '../styles/style.ts'
import { countdown } from './countdown.ts'
import { alignmentClass, commonAttributes, type Draft } from './draft.ts'
import { form, orderForm } from './form.ts'
import { address, filled, linesOf, type Markup, markup } from './markup.ts'
import { image, video } from './media.ts'
import { hasMainTitle, sanitised } from './sanitise.ts'

/** Markup of an element. Null if the element is empty or invalid. */
type ElementMarkup = Markup | null

/** Render functions by element type. */
const renderers: Readonly<Record<string, (draft: Draft, element: Properties) => ElementMarkup>> = {
  title,
  text,
  image,
  button,
  video,
  form,
  order_form: orderForm,
  countdown,
  list,
  divider,
  spacer,
  html: customHtml,
  menu,
}

/** Renders an element. Returns null for unknown types and for empty or invalid elements, so that the page omits them. */
export function renderElement(draft: Draft, element: Properties): ElementMarkup {
  const type = textOf(element['type'])
  const render = Object.hasOwn(renderers, type) ? renderers[type] : undefined
  return render?.(draft, element) ?? null
}

function title(draft: Draft, element: Properties): ElementMarkup {
  const text = textOf(element['text'])
  if (text.trim() === '') return null
  const level = Math.round(numberOf(element['level'], 1, 6) ?? 2)
  if (level === 1) draft.counts.mainTitles++
  const [open, close] = headings[level - 1] as (typeof headings)[number]
  return markup`${open}${commonAttributes(draft, element, `title${alignmentClass(element)}`)}>${linesOf(text)}${close}`
}

/** Opening and closing tags by heading level. Values of a template are escaped, so tag names cannot be inserted. */
const headings = [
  [markup`<h1`, markup`</h1>`],
  [markup`<h2`, markup`</h2>`],
  [markup`<h3`, markup`</h3>`],
  [markup`<h4`, markup`</h4>`],
  [markup`<h5`, markup`</h5>`],
  [markup`<h6`, markup`</h6>`],
] as const

function text(draft: Draft, element: Properties): ElementMarkup {
  const content = element['content'] as RichTextBody | undefined
  const html = content ? richTextHtml(content) : textOf(element['html'])
  if (html.trim() !== '') return customHtml(draft, { ...element, html })
  const paragraphs = textOf(element['text'])
    .split(/(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)/)
    .filter((paragraph) => paragraph.trim() !== '')
  if (paragraphs.length === 0) return null
  const lines = paragraphs.map((paragraph) => markup`<p>${linesOf(paragraph)}</p>`)
  return markup`<div${commonAttributes(draft, element, `prose${alignmentClass(element)}`)}>${lines}</div>`
}

function customHtml(draft: Draft, element: Properties): ElementMarkup {
  const html = sanitised(textOf(element['html']), draft.sheet)
  if (html.parts.length === 0) return null
  if (hasMainTitle(html)) draft.counts.mainTitles++
  return markup`<div${commonAttributes(draft, element, `prose${alignmentClass(element)}`)}>${html}</div>`
}

function button(draft: Draft, element: Properties): ElementMarkup {
  const words = textOf(element['text'])
  if (words.trim() === '') return null
  const [formKey] = draft.formKeys.values()
  const attributes = markup`${commonAttributes(draft, element, 'q-button large')}`
  const wrap = (inner: Markup) => markup`<p class="action${alignmentClass(element)}">${inner}</p>`
  if (element['action'] === 'submit' && formKey !== undefined) {
    return wrap(markup`<button type="submit" form="${formKey}"${attributes}>${filled(words)}</button>`)
  }
  const href = element['action'] === 'next_step' ? undefined : address(element['href'])
  const target = href ?? (draft.source.nextUrl === null ? undefined : markup`${draft.source.nextUrl}`)
  if (!target) return null
  return wrap(markup`<a href="${target}"${targetAttribute(element)}${attributes}>${filled(words)}</a>`)
}

function targetAttribute({ target }: Properties): ElementMarkup {
  return target === '_blank' ? markup` target="_blank" rel="noopener"` : null
}

function list(draft: Draft, element: Properties): ElementMarkup {
  const items = listOf(element['items']).flatMap((item) => {
    const { text = item, href } = propertiesOf(item)
    const words = textOf(text)
    return words.trim() === '' ? [] : [markup`<li>${listLink(words, href)}</li>`]
  })
  if (items.length === 0) return null
  const attributes = commonAttributes(draft, element, 'prose')
  return element['ordered'] === true ? markup`<ol${attributes}>${items}</ol>` : markup`<ul${attributes}>${items}</ul>`
}

function listLink(words: string, href: unknown): Markup {
  const target = href === undefined ? undefined : address(href)
  return target ? markup`<a href="${target}">${linesOf(words)}</a>` : linesOf(words)
}

function menu(draft: Draft, element: Properties): ElementMarkup {
  const items = listOf(element['items']).flatMap((item) => {
    const { text, href } = propertiesOf(item)
    return textOf(text).trim() === '' || !address(href) ? [] : [markup`<li>${listLink(textOf(text), href)}</li>`]
  })
  if (items.length === 0) return null
  const number = ++draft.counts.menus
  const name = number === 1 ? draft.texts.text('page.menu') : draft.texts.text('page.menuOf', { number })
  return markup`<nav aria-label="${name}"${commonAttributes(draft, element, `menu${alignmentClass(element)}`)}><ul>${items}</ul></nav>`
}

function divider(draft: Draft, element: Properties): ElementMarkup {
  const thickness = numberOf(element['thickness'], 0, 100)
  const color = safeColor(element['color'])
  const line = {
    ...(thickness !== undefined && { 'border-top-width': `${thickness}px` }),
    ...(color !== undefined && { 'border-top-color': color }),
  }
  return markup`<hr${commonAttributes(draft, element, 'divider', line)}>`
}

/** Spaces over 40 pixels shrink with the width of the screen, at most to half. */
function spacer(draft: Draft, element: Properties): ElementMarkup {
  const height = numberOf(element['height'], 0, 10_000) ?? 24
  const fluid = height > 40 ? `clamp(${height / 2}px, ${height / 10}vw, ${height}px)` : `${height}px`
  return markup`<div aria-hidden="true"${commonAttributes(draft, element, 'spacer', { height: fluid })}></div>`
}
