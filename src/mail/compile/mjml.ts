import {
  conditionNumbers,
  contrastOf,
  inlineHtml,
  inlineText,
  type MessageBlock,
  minContrast,
  networks,
  type RichTextStyle,
  richTextHtml,
  type ShownDocument,
  type ShownSection,
  textColorOn,
} from '../../content/rendering.ts'
import { escapeHtml } from '../../kernel/web/html.ts'
import { marksOf } from '../bodies/conditional-parts.ts'
import { ownHtml } from './own-html.ts'
import { darkColors, type MessageStyle } from './style.ts'

/** MJML, and the HTML that belongs to the places in it. */
interface Mjml {
  readonly source: string
  /** Fills the places of compiled MJML. */
  readonly fill: (compiled: string) => string
}

/** Width of the content in pixels. */
const contentWidth = 600

/** Two characters that no text contains mark a place, so that the MJML has no text of people that it could misread. */
const [placeStart, placeEnd] = ['\ufdd0', '\ufdd1']
const marks = /[\ufdd0\ufdd1]/g

const spaceAround = '10px 24px'
const headingSizes = { 1: '28px', 2: '22px', 3: '18px' } as const
const defaultVideoLabel = '▶ Watch the video'

/** A place of a block: its section can have colours of its own. */
interface BlockContext {
  readonly style: MessageStyle
  /** Whether mail programs may replace the colours in the dark scheme. */
  readonly isThemed: boolean
  readonly textColor: string
  readonly linkColor: string
  /** Returns a place for HTML. */
  readonly put: (html: string) => string
}

/** Returns the MJML of a document. All of its text is escaped or sanitised. */
export function mjmlOf(document: ShownDocument, style: MessageStyle): Mjml {
  const places: string[] = []
  const put = (html: string) => `${placeStart}${places.push(html.replace(marks, '')) - 1}${placeEnd}`
  const { sections } = document
  const conditional = newConditional(conditionNumbers(document), put)
  const body = sections.map((section) => conditional(section, sectionOf(section, style, put, conditional))).join('')
  const source =
    `<mjml lang="en"><mj-head><mj-attributes><mj-all font-family="${attribute(style.fontFamily)}" />` +
    `<mj-text padding="${spaceAround}" font-size="16px" line-height="1.5" color="${style.textColor}" />` +
    `<mj-image padding="${spaceAround}" /><mj-divider padding="${spaceAround}" /></mj-attributes>` +
    `<mj-style>${sheet}</mj-style><mj-raw><meta name="color-scheme" content="light dark">` +
    `<meta name="supported-color-schemes" content="light dark"></mj-raw></mj-head>` +
    `<mj-body width="${contentWidth}px" background-color="${style.backgroundColor}" css-class="c-body">${body}</mj-body></mjml>`
  const pattern = new RegExp(`${placeStart}(\\d+)${placeEnd}`, 'g')
  const title = `<title>${escapeHtml(titleOf(document).replace(marks, ''))}</title>`
  return {
    source,
    // The compiler would write a title of MJML into an attribute as well, where it cannot be filled in.
    fill: (compiled) =>
      compiled
        .replace('<title></title>', () => title)
        .replace(pattern, (_, place: string) => places[Number(place)] ?? ''),
  }
}

const sheet = `:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.c-body, body { background-color: ${darkColors.background} !important; }
.c-section, .c-section > table { background: ${darkColors.content} !important; background-color: ${darkColors.content} !important; }
.c-text, .c-text div, .c-text h1, .c-text h2, .c-text h3, .c-text p, .c-text li { color: ${darkColors.text} !important; }
.c-text a { color: ${darkColors.link} !important; }
}`

/** The first heading names the message for readers who open it in a browser. */
function titleOf({ sections }: ShownDocument): string {
  const blocks = sections.flatMap(({ columns }) => columns.flatMap((column) => column.blocks))
  const heading = blocks.find((block) => block.type === 'heading')
  return heading ? inlineText(heading.content).replace(/\s+/g, ' ') : ''
}

/** Marks the MJML of a section or block as that of its condition. */
type Conditional = (owner: ShownSection | MessageBlock, mjml: string) => string

function newConditional(numberOf: ReturnType<typeof conditionNumbers>, put: BlockContext['put']): Conditional {
  const raw = (html: string) => `<mj-raw>${put(html)}</mj-raw>`
  return (owner, mjml) => {
    const condition = numberOf(owner)
    if (condition === undefined || mjml === '') return mjml
    const [start, end] = marksOf(condition)
    return `${raw(start)}${mjml}${raw(end)}`
  }
}

function sectionOf(
  section: ShownSection,
  style: MessageStyle,
  put: BlockContext['put'],
  conditional: Conditional,
): string {
  const { backgroundColor, padding = 16, columns, stacked = true } = section
  const background = backgroundColor ?? style.contentColor
  const textColor = backgroundColor === undefined ? style.textColor : textColorOn(backgroundColor)
  const isReadable = contrastOf(style.accentColor, background) >= minContrast.text
  const context: BlockContext = {
    ...{ style, put, textColor, isThemed: backgroundColor === undefined },
    linkColor: isReadable ? style.accentColor : textColor,
  }
  const given = columns.reduce((sum, { width = 0 }) => sum + width, 0)
  const free = (12 - given) / (columns.filter(({ width }) => width === undefined).length || 1)
  const inner = columns
    .map(({ width = free, align = 'top', blocks }) => {
      const content = blocks.map((each) => conditional(each, blockOf(each, context))).join('')
      return `<mj-column width="${Math.round((width / 12) * contentWidth)}px" vertical-align="${align}">${content}</mj-column>`
    })
    .join('')
  return (
    `<mj-section background-color="${background}" padding="${padding}px 0"${context.isThemed ? ' css-class="c-section"' : ''}>` +
    `${stacked ? inner : `<mj-group>${inner}</mj-group>`}</mj-section>`
  )
}

function blockOf(block: MessageBlock, context: BlockContext): string {
  const { style, put } = context
  switch (block.type) {
    case 'heading': {
      const { level = 2, content, align, color } = block
      const tag = `h${level}`
      const css = `margin:0;font-size:${headingSizes[level as 1 | 2 | 3]};line-height:1.25;font-weight:bold`
      return textOf(
        `<${tag} style="${css}">${inlineHtml(content, richStyle(context))}</${tag}>`,
        { align, color, fontSize: headingSizes[level as 1 | 2 | 3], lineHeight: '1.25' },
        context,
      )
    }
    case 'text':
      return textOf(richTextHtml(block.content, richStyle(context)), block, context)
    case 'image':
      return imageOf(block)
    case 'button':
      return buttonOf(block, style, put)
    case 'divider':
      return `<mj-divider border-width="${block.thickness ?? 1}px" border-color="${block.color ?? '#c4cad3'}" />`
    case 'spacer':
      return `<mj-spacer height="${block.height ?? 24}px" />`
    case 'social':
      return linksOf(block.links ?? style.links, block.align, context)
    case 'logo':
      return style.logo ? imageOf({ ...style.logo, align: 'center', width: 160, ...block }) : ''
    case 'product':
      return productOf(block, context)
    case 'video': {
      if (block.href === '') return imageOf(block)
      const label = `<p style="margin:0"><a href="${attribute(block.href)}" style="color:${context.linkColor}">${escapeHtml(block.label ?? defaultVideoLabel)}</a></p>`
      return imageOf(block) + textOf(label, { align: 'center' }, context)
    }
    case 'html':
      return `<mj-text color="${context.textColor}">${put(ownHtml(block.html))}</mj-text>`
    case 'footer':
      return footerOf(block, context)
  }
}

function richStyle({ linkColor }: BlockContext): RichTextStyle {
  return { block: 'margin:0 0 12px', link: `color:${linkColor};text-decoration:underline` }
}

interface TextOptions {
  readonly align?: string | undefined
  readonly color?: string | undefined
  readonly fontSize?: string
  readonly lineHeight?: string
}

function textOf(html: string, { align, color, fontSize, lineHeight }: TextOptions, context: BlockContext): string {
  const isThemed = context.isThemed && color === undefined
  const given = {
    align,
    'font-size': fontSize,
    'line-height': lineHeight,
    'css-class': isThemed ? 'c-text' : undefined,
  }
  return element('mj-text', { ...given, color: color ?? context.textColor }, context.put(html))
}

interface Picture {
  readonly src: string
  readonly alt: string
  readonly href?: string | undefined
  readonly width?: number | undefined
  readonly align?: string | undefined
}

/** A picture whose address is not known yet is not shown. */
function imageOf({ src, alt, href, width, align }: Picture): string {
  if (src === '') return ''
  // Without a width, the picture is as wide as its column, also where phones show the column over the full width.
  const size = width === undefined ? { 'fluid-on-mobile': 'true' } : { width: `${width}px` }
  return element('mj-image', { src, alt, href: href || undefined, ...size, align })
}

interface ButtonOptions {
  readonly text: string
  readonly href: string
  readonly align?: string | undefined
  readonly color?: string | undefined
  readonly backgroundColor?: string | undefined
  readonly fullWidth?: boolean | undefined
}

function buttonOf(button: ButtonOptions, { accentColor }: MessageStyle, put: BlockContext['put']): string {
  const { text, href, align = 'center', backgroundColor = accentColor, color = textColorOn(backgroundColor) } = button
  // It would lead nowhere.
  if (href === '') return ''
  const given = {
    align,
    color,
    href,
    'background-color': backgroundColor,
    width: button.fullWidth ? '100%' : undefined,
  }
  const fixed = { padding: spaceAround, 'border-radius': '6px', 'font-size': '16px', 'font-weight': 'bold' }
  return element('mj-button', { ...given, ...fixed, 'inner-padding': '12px 24px' }, put(escapeHtml(text)))
}

function productOf(product: MessageBlock & { type: 'product' }, context: BlockContext): string {
  const { name, price, description, src, alt = '', href, button, align } = product
  const { style, put } = context
  const title =
    href === ''
      ? escapeHtml(name)
      : `<a href="${attribute(href)}" style="color:inherit;text-decoration:none">${escapeHtml(name)}</a>`
  const text =
    `<p style="margin:0 0 4px;font-size:18px;font-weight:bold">${title}</p>` +
    (price === undefined ? '' : `<p style="margin:0 0 4px">${escapeHtml(price)}</p>`) +
    (description === undefined ? '' : `<p style="margin:0">${escapeHtml(description)}</p>`)
  return (
    (src === undefined ? '' : imageOf({ src, alt, href, align })) +
    textOf(text, { align }, context) +
    (button === undefined ? '' : buttonOf({ text: button, href, align: align ?? 'left' }, style, put))
  )
}

function linksOf(
  links: readonly { network: keyof typeof networks; href: string }[],
  align: string | undefined,
  context: BlockContext,
): string {
  const known = links.filter(({ href }) => href !== '')
  if (known.length === 0) return ''
  const html = known.map(
    ({ network, href }) =>
      `<a href="${attribute(href)}" style="color:${context.linkColor};text-decoration:underline">${networks[network]}</a>`,
  )
  return textOf(html.join(' &#183; '), { align: align ?? 'center', fontSize: '14px' }, context)
}

function footerOf(footer: MessageBlock & { type: 'footer' }, context: BlockContext): string {
  const { address = context.style.address, text, unsubscribe = 'Unsubscribe', view = 'View in browser' } = footer
  const link = (url: string, label: string) =>
    `<a href="${url}" style="color:inherit;text-decoration:underline">${escapeHtml(label)}</a>`
  const links = [link('{{UNSUBSCRIBE_URL}}', unsubscribe), ...(view === null ? [] : [link('{{VIEW_URL}}', view)])]
  const paragraphs = [
    ...(text ? [escapeHtml(text)] : []),
    ...(address.trim() === '' ? [] : [escapeHtml(address.trim()).replace(/\r?\n/g, '<br>')]),
    links.join(' &#183; '),
  ]
  const html = paragraphs.map((each) => `<p style="margin:0 0 8px">${each}</p>`).join('')
  return textOf(html, { align: footer.align ?? 'center', fontSize: '13px' }, context)
}

function element(tag: string, attributes: Readonly<Record<string, string | undefined>>, inner?: string): string {
  const given = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${attribute(value)}"`],
  )
  return inner === undefined ? `<${tag}${given.join('')} />` : `<${tag}${given.join('')}>${inner}</${tag}>`
}

/** Escapes a value of an attribute, which becomes an attribute of the HTML as it is. */
function attribute(value: string): string {
  return escapeHtml(value.replace(marks, ''))
}
