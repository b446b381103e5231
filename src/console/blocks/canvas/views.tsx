import { plural, t } from '@lingui/core/macro'
import type { CSSProperties, ReactNode } from 'react'
import { words } from '../../shared/format.ts'
import { type DocumentModel, isOfLibrary, type RichDocument } from '../model/kinds.ts'
import { messageModel } from '../model/message-kinds.ts'
import { networkNames } from '../model/networks.ts'
import { type Block, newBlock, type Values } from '../model/tree.ts'
import { RichView } from '../text/rich-view.tsx'
import { type EditorParts, useParts } from './editor.ts'

/** The fonts that a brand can have, as messages name them. */
const fonts: Readonly<Record<string, string>> = {
  ARIAL: 'Arial, Helvetica, sans-serif',
  VERDANA: 'Verdana, Geneva, sans-serif',
  TAHOMA: 'Tahoma, Verdana, sans-serif',
  TREBUCHET: "'Trebuchet MS', Helvetica, sans-serif",
  GEORGIA: 'Georgia, Times, serif',
  TIMES: "'Times New Roman', Times, serif",
  COURIER: "'Courier New', Courier, monospace",
}

/** Returns the colours and the font of a canvas: those of the document, or else of the brand. */
export function canvasStyle({ brand }: EditorParts, values: Values): CSSProperties {
  const { style, settings } = values as { style?: Values; settings?: Values }
  const own = { ...brand, ...style } as Partial<Record<string, string>>
  const page = Object(settings) as Partial<Record<string, string>>
  return {
    '--canvas-around': page['backgroundColor'] ?? own['backgroundColor'] ?? '#ffffff',
    '--canvas-content': page['backgroundColor'] ?? own['contentColor'] ?? '#ffffff',
    '--canvas-text': page['color'] ?? own['textColor'] ?? '#1a1b1e',
    '--canvas-accent': page['accentColor'] ?? own['accentColor'] ?? '#2b5bd7',
    '--canvas-font': fonts[own['font'] ?? ''] ?? 'system-ui, sans-serif',
  } as CSSProperties
}

/** A block as readers see it, approximately: the preview shows it exactly. */
export function BlockView({ model, block }: { readonly model: DocumentModel; readonly block: Block }) {
  const { type, values } = block
  const parts = useParts()
  const view = views[type]
  const align = values['align'] as CSSProperties['textAlign'] | undefined
  const color =
    typeof values['color'] === 'string' && type !== 'divider' && type !== 'button' ? values['color'] : undefined
  return (
    <div
      className="block-view"
      data-type={type}
      style={{ ...(align && { textAlign: align }), ...(color && { color }) }}
    >
      {view ? view(values, parts) : <Hint>{model.kinds[type]?.label ?? words(type)}</Hint>}
    </div>
  )
}

/** Stands for what has no content yet, or is shown in the preview only. */
function Hint({ children }: { readonly children: ReactNode }) {
  return <div className="block-hint">{children}</div>
}

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function Picture({ values: { src, alt, width }, hint }: { readonly values: Values; readonly hint: string }) {
  if (text(src) === '') return <Hint>{hint}</Hint>
  if (!isOfLibrary(text(src))) return <Hint>{text(alt) || text(src)}</Hint>
  return <img src={text(src)} alt={text(alt)} {...(typeof width === 'number' && { width })} />
}

const ButtonView = ({ label, values }: { readonly label: unknown; readonly values: Values }) => (
  <span
    className="block-button"
    data-wide={values['fullWidth'] === true || undefined}
    style={{
      ...(text(values['backgroundColor']) && { background: text(values['backgroundColor']) }),
      ...(text(values['color']) && { color: text(values['color']) }),
    }}
  >
    {text(label)}
  </span>
)

/** Headings are no headings of the screen. */
const heading = (level: unknown, content: ReactNode) => (
  <div className="block-heading" data-level={level ?? 2}>
    {content}
  </div>
)

const listed = (items: unknown) => (Array.isArray(items) ? items.map((each) => text(Object(each).text ?? each)) : [])

const views: Readonly<Record<string, (values: Values, parts: EditorParts) => ReactNode>> = {
  heading: (values) => heading(values['level'], <RichView document={lineOf(values)} />),
  title: ({ level, text: content }) => heading(level, text(content)),
  text: ({ content, text: plain, html }) =>
    content !== undefined ? (
      <RichView document={content as RichDocument} />
    ) : (
      text(plain ?? text(html).replace(/<[^>]*>/g, ' '))
        .split(/\n{2,}/)
        .map((each) => <p key={each}>{each}</p>)
    ),
  image: (values) => <Picture values={values} hint={t`Choose a picture`} />,
  button: (values) => <ButtonView label={values['text']} values={values} />,
  divider: ({ thickness, color }) => (
    <hr style={{ ...(typeof thickness === 'number' && { borderTopWidth: thickness }), borderColor: text(color) }} />
  ),
  spacer: ({ height }) => <div style={{ height: Math.min(Number(height ?? 24), 200) }} />,
  product: (values) => (
    <>
      {text(values['src']) && <Picture values={values} hint="" />}
      <strong>{text(values['name'])}</strong>
      <div>{text(values['price'])}</div>
      <div>{text(values['description'])}</div>
      {text(values['button']) && <ButtonView label={values['button']} values={{}} />}
    </>
  ),
  video: (values) => (
    <>
      <Picture values={values} hint={t`Choose a picture of the video`} />
      {'label' in values || text(values['provider']) === '' ? (
        <div className="rich-link">{text(values['label'] ?? '▶ Watch the video')}</div>
      ) : (
        <div>▶ {text(values['src'])}</div>
      )}
    </>
  ),
  social: ({ links }, { brand }) => {
    const shown = (Array.isArray(links) ? links : (brand?.links ?? [])).map(
      ({ network }) => networkNames[network] ?? network,
    )
    return shown.length > 0 ? (
      <span className="rich-link">{shown.join(' · ')}</span>
    ) : (
      <Hint>{t`The brand has no links.`}</Hint>
    )
  },
  logo: ({ width }, { brand }) =>
    brand && isOfLibrary(brand.logoUrl) ? (
      <img src={brand.logoUrl} alt={brand.logoAlt} width={Number(width ?? 160)} />
    ) : (
      <Hint>{brand?.logoUrl || t`The brand has no logo.`}</Hint>
    ),
  footer: ({ text: reason, address, unsubscribe, view }, { brand }) => (
    <small>
      {text(reason) && <div>{text(reason)}</div>}
      <div className="block-address">{text(address ?? brand?.address)}</div>
      <span className="rich-link">{text(unsubscribe ?? 'Unsubscribe')}</span>
      {view !== null && <span className="rich-link"> · {text(view ?? 'View in browser')}</span>}
    </small>
  ),
  html: ({ html }) => {
    const read = text(html)
      .replace(/<[^>]*>/g, ' ')
      .trim()
      .slice(0, 80)
    return <Hint>{read ? t`HTML: ${read}` : t`HTML: nothing to read`}</Hint>
  },
  reusable: ({ reusableBlockId }, { reusableBlocks }) => {
    const found = reusableBlocks.find(({ id }) => id === reusableBlockId)
    if (!found) return <Hint>{t`A reusable block that was deleted`}</Hint>
    return blocksIn(found.content).map((block) => <BlockView key={block.id} model={messageModel} block={block} />)
  },
  form: ({ buttonText }) => (
    <>
      <Hint>{t`The form of the step`}</Hint>
      <ButtonView label={buttonText} values={{}} />
    </>
  ),
  order_form: ({ product, buttonText }) => (
    <>
      <Hint>
        {text(Object(product).name)} · {text(Object(product).amount)} {text(Object(product).currency)}
      </Hint>
      <ButtonView label={buttonText} values={{}} />
    </>
  ),
  list: ({ items, ordered }) => {
    const entries = listed(items).map((each) => <li key={each}>{each}</li>)
    return ordered ? <ol>{entries}</ol> : <ul>{entries}</ul>
  },
  countdown: ({ minutes, until }) => (
    <Hint>{t`Countdown: ${text(until) || plural(Number(minutes), { one: '# minute', other: '# minutes' })}`}</Hint>
  ),
  menu: ({ items }) => <span className="rich-link">{listed(items).join(' · ')}</span>,
}

const lineOf = ({ content }: Values): RichDocument => ({
  type: 'doc',
  content: Array.isArray(content) ? content : [],
})

/** The blocks of a reusable block, with names of their own for React. They are read once for each content. */
const readContents = new WeakMap<object, readonly Block[]>()

function blocksIn(content: unknown): readonly Block[] {
  if (!Array.isArray(content)) return []
  const known = readContents.get(content)
  if (known) return known
  const blocks = content.map(({ type, ...values }) => newBlock(String(type), values))
  readContents.set(content, blocks)
  return blocks
}
