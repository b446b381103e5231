import type { Values } from './page-tree.ts'

/** How a property of a block is edited. `name` is its path: `product.amount`. */
export interface BlockField {
  readonly name: string
  readonly label: string
  readonly kind: 'line' | 'area' | 'number' | 'choice' | 'switch' | 'color' | 'lines' | 'links' | 'currency'
  readonly description?: string
  /** Choices with their values in the document. The first is the default, which is not stored if it is undefined. */
  readonly choices?: readonly (readonly [value: string | number | undefined, label: string])[]
  /** Whether an empty text is stored. Others are left out of the document. */
  readonly isRequired?: boolean
  readonly isShown?: (values: Values) => boolean
}

/** An element of a page: its name, the properties that are edited, and those of a new one. */
interface BlockKind {
  readonly label: string
  readonly initial: Values
  readonly fields: readonly BlockField[]
  readonly nameOf?: (values: Values) => unknown
}

const align: BlockField = {
  name: 'align',
  label: 'Alignment',
  kind: 'choice',
  choices: [
    [undefined, 'Automatic'],
    ['left', 'Left'],
    ['center', 'Centre'],
    ['right', 'Right'],
  ],
}
const color = (name: string, label: string): BlockField => ({ name, label, kind: 'color' })
const line = (name: string, label: string, description?: string): BlockField => ({
  ...{ name, label, kind: 'line' },
  ...(description && { description }),
})
const number = (name: string, label: string): BlockField => ({ name, label, kind: 'number' })
const link = (name: string, label: string) =>
  line(name, label, 'A web address, mailto:, tel:, # or a path of this site.')
const textOf = ({ text }: Values) => text

const afterwards = [
  line('buttonText', 'Label of the button'),
  { name: 'consentText', label: 'Text of the consent checkbox', kind: 'area', description: 'No checkbox if empty.' },
  line('action', 'Page to open afterwards', 'The next step if empty.'),
] as const

/** The elements of pages, in the order of the menu. */
export const blockKinds: Readonly<Record<string, BlockKind>> = {
  title: {
    label: 'Heading',
    initial: { text: 'Heading', level: 2 },
    nameOf: textOf,
    fields: [
      { ...line('text', 'Text'), isRequired: true },
      {
        name: 'level',
        label: 'Size',
        kind: 'choice',
        choices: [
          [2, 'Heading'],
          [1, 'Main heading'],
          [3, 'Small heading'],
          [4, 'Smaller heading'],
        ],
      },
      align,
    ],
  },
  text: {
    label: 'Text',
    initial: { text: 'Write something.' },
    nameOf: ({ text, html }) => text ?? String(html).replace(/<[^>]*>/g, ' '),
    fields: [
      {
        name: 'text',
        label: 'Text',
        kind: 'area',
        description: 'An empty line starts a paragraph. {{FIRST_NAME:friend}} is replaced.',
        isShown: ({ html }) => html === undefined,
      },
      { name: 'html', label: 'HTML', kind: 'area', isShown: ({ html }) => html !== undefined },
      align,
    ],
  },
  image: {
    label: 'Image',
    initial: { src: '/', alt: '' },
    nameOf: ({ alt, src }) => alt || src,
    fields: [
      { ...link('src', 'Address of the image'), isRequired: true },
      line('alt', 'Description', 'For people who do not see the image.'),
      link('href', 'Link'),
      number('width', 'Width in pixels'),
      align,
    ],
  },
  button: {
    label: 'Button',
    initial: { text: 'Continue', action: 'next_step' },
    nameOf: textOf,
    fields: [
      { ...line('text', 'Label'), isRequired: true },
      {
        name: 'action',
        label: 'Leads to',
        kind: 'choice',
        choices: [
          ['link', 'A link'],
          ['next_step', 'The next step'],
          ['submit', 'Sending the form'],
        ],
      },
      { ...link('href', 'Link'), isShown: ({ action }) => action === undefined || action === 'link' },
      align,
    ],
  },
  form: {
    label: 'Form of the step',
    initial: { buttonText: 'Send' },
    nameOf: ({ buttonText }) => buttonText,
    fields: afterwards,
  },
  order_form: {
    label: 'Order form',
    initial: { product: { name: 'Product', amount: '10.00', currency: 'EUR' }, buttonText: 'Buy now' },
    nameOf: ({ product }) => Object(product).name,
    fields: [
      line('product.name', 'Product'),
      line('product.amount', 'Price', 'Such as 12.50.'),
      { name: 'product.currency', label: 'Currency', kind: 'currency' },
      ...afterwards,
    ],
  },
  list: {
    label: 'List',
    initial: { items: ['First', 'Second'] },
    nameOf: ({ items }) => (Array.isArray(items) ? items.map((each) => Object(each).text ?? each).join(', ') : ''),
    fields: [
      { name: 'items', label: 'One entry a line', kind: 'lines' },
      { name: 'ordered', label: 'Numbered', kind: 'switch' },
    ],
  },
  video: {
    label: 'Video',
    initial: { src: 'https://', provider: 'youtube' },
    nameOf: ({ src }) => src,
    fields: [
      { ...link('src', 'Address of the video'), isRequired: true },
      {
        name: 'provider',
        label: 'Player',
        kind: 'choice',
        choices: [
          ['file', 'Video file'],
          ['youtube', 'YouTube'],
          ['vimeo', 'Vimeo'],
        ],
      },
      link('poster', 'Image before it plays'),
      { name: 'autoplay', label: 'Play at once, without sound', kind: 'switch' },
    ],
  },
  countdown: {
    label: 'Countdown',
    initial: { minutes: 60 },
    nameOf: ({ minutes, until }) => until ?? `${String(minutes)} minutes`,
    fields: [
      number('minutes', 'Minutes from the first visit'),
      line('until', 'Or until', 'The same end for all visitors, such as 2030-12-24T18:00:00+01:00.'),
      link('href', 'Page to open at the end'),
    ],
  },
  menu: {
    label: 'Menu',
    initial: { items: [{ text: 'Home', href: '#' }] },
    nameOf: ({ items }) => (Array.isArray(items) ? items.map((each) => Object(each).text).join(', ') : ''),
    fields: [{ name: 'items', label: 'Links', kind: 'links' }, align],
  },
  divider: {
    label: 'Line',
    initial: {},
    fields: [number('thickness', 'Thickness in pixels'), color('color', 'Colour')],
  },
  spacer: { label: 'Space', initial: { height: 24 }, fields: [number('height', 'Height in pixels')] },
  html: {
    label: 'HTML',
    initial: { html: '<p></p>' },
    fields: [{ name: 'html', label: 'HTML', kind: 'area', description: 'Scripts are left out.', isRequired: true }],
  },
}

/** What is set for a section. */
export const sectionFields: readonly BlockField[] = [
  color('background.color', 'Background'),
  line('background.src', 'Image behind the section'),
  { ...line('id', 'Anchor', 'Links lead here with # and this name.') },
  { name: 'hidden', label: 'Hidden', kind: 'switch' },
]

/** What is set for the whole page. */
export const pageFields: readonly BlockField[] = [
  color('settings.accentColor', 'Buttons and links'),
  color('settings.backgroundColor', 'Background'),
  color('settings.color', 'Text'),
  number('settings.width', 'Width in pixels'),
  line('settings.language', 'Language', 'Such as en or fr.'),
]

/** Reads the property at a path. */
export function valueAt(values: Values, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => Object(value)[name], values)
}

/** Sets the property at a path. An undefined value removes it. */
export function withValue(values: Values, path: string, value: unknown): Values {
  const [name = '', ...others] = path.split('.')
  const next = others.length > 0 ? withValue(Object(values[name]) as Values, others.join('.'), value) : value
  const { [name]: _, ...rest } = values
  return next === undefined ? rest : { ...rest, [name]: next }
}

/** Returns the name of an element in the outline of the page. */
export function blockName(type: string, values: Values): { label: string; text: string } {
  const kind = blockKinds[type]
  return { label: kind?.label ?? type, text: String(kind?.nameOf?.(values) ?? '').trim() }
}
