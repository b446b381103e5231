import { plural, t } from '@lingui/core/macro'
import {
  alignField as align,
  type BlockField,
  type BlockKind,
  colorField as color,
  type DocumentModel,
  fileName,
  lineField as line,
  numberField as number,
  once,
  pictureField as picture,
  plainText,
  type RichDocument,
  readBlocks,
  richDocument,
  richNodes,
} from '../blocks/model/kinds.ts'
import type { Block, Values } from '../blocks/model/tree.ts'

const link = (name: string, label: string) =>
  line(name, label, t`A web address, mailto:, tel:, # or a path of this site.`)
const textOf = ({ text }: Values) => text

const ending = (aboutConsent: string) =>
  [
    line('buttonText', t`Label of the button`),
    {
      name: 'termsText',
      label: t`Terms to accept`,
      kind: 'area',
      description: t`Text of a checkbox that must be ticked, such as for terms of sale. It grants no consent. No checkbox if empty.`,
    },
    {
      name: 'marketingConsentText',
      label: t`Consent to marketing e-mail`,
      kind: 'area',
      description: aboutConsent,
    },
    line('action', t`Page to open afterwards`, t`The next step if empty.`),
  ] as const

/** The elements of pages, in the order of the menu. */
const kinds = once(
  (): Readonly<Record<string, BlockKind>> => ({
    title: {
      label: t`Heading`,
      initial: { text: 'Heading', level: 2 },
      nameOf: textOf,
      fields: [
        { ...line('text', t`Text`), isRequired: true },
        {
          name: 'level',
          label: t`Size`,
          kind: 'choice',
          choices: [
            [2, t`Heading`],
            [1, t`Main heading`],
            [3, t`Small heading`],
            [4, t`Smaller heading`],
          ],
        },
        align(),
      ],
    },
    text: {
      label: t`Text`,
      words: t`paragraph list`,
      initial: { content: richDocument(richNodes('Write something.')) },
      nameOf: ({ content, text, html }) =>
        content === undefined ? (text ?? String(html).replace(/<[^>]*>/g, ' ')) : plainText(content),
      rich: {
        isLine: false,
        read: ({ content, text, html }) => {
          if (content !== undefined) return content as RichDocument
          return html === undefined
            ? richDocument(
                ...String(text ?? '')
                  .split(/\n{2,}/)
                  .map(richNodes),
              )
            : undefined
        },
        write: ({ text: _text, html: _html, ...values }, content) => ({ ...values, content }),
      },
      fields: [{ name: 'html', label: t`HTML`, kind: 'area', isShown: ({ html }) => html !== undefined }, align()],
    },
    image: {
      label: t`Picture`,
      words: t`image photo`,
      initial: { src: '', alt: '' },
      nameOf: ({ alt, src }) => alt || fileName(src),
      fields: [
        { ...picture('src', t`Picture`), isRequired: true },
        line('alt', t`Alternative text`, t`What the picture shows, for people who do not see it.`),
        link('href', t`Link`),
        number('width', t`Width in pixels`),
        align(),
      ],
    },
    button: {
      label: t`Button`,
      initial: { text: 'Continue', action: 'next_step' },
      nameOf: textOf,
      fields: [
        { ...line('text', t`Label`), isRequired: true },
        {
          name: 'action',
          label: t`Leads to`,
          kind: 'choice',
          choices: [
            ['link', t`A link`],
            ['next_step', t`The next step`],
            ['submit', t`Sending the form`],
          ],
        },
        { ...link('href', t`Link`), isShown: ({ action }) => action === undefined || action === 'link' },
        align(),
      ],
    },
    form: {
      label: t`Form of the step`,
      initial: { buttonText: 'Send' },
      nameOf: ({ buttonText }) => buttonText,
      fields: ending(
        t`Text of a checkbox that grants consent to marketing e-mail. It must be ticked. No checkbox if empty.`,
      ),
    },
    order_form: {
      label: t`Order form`,
      initial: { product: { name: 'Product', amount: '10.00', currency: 'EUR' }, buttonText: 'Buy now' },
      nameOf: ({ product }) => Object(product).name,
      fields: [
        line('product.name', t`Product`),
        line('product.amount', t`Price`, t`Such as 12.50.`),
        { name: 'product.currency', label: t`Currency`, kind: 'currency' },
        ...ending(
          t`Text of a checkbox that grants consent to marketing e-mail. Buyers need not tick it. No checkbox if empty.`,
        ),
      ],
    },
    list: {
      label: t`List`,
      initial: { items: ['First', 'Second'] },
      nameOf: ({ items }) => (Array.isArray(items) ? items.map((each) => Object(each).text ?? each).join(', ') : ''),
      fields: [
        { name: 'items', label: t`One entry a line`, kind: 'lines' },
        { name: 'ordered', label: t`Numbered`, kind: 'switch' },
      ],
    },
    video: {
      label: t`Video`,
      initial: { src: 'https://', provider: 'youtube' },
      nameOf: ({ src }) => src,
      fields: [
        { ...link('src', t`Address of the video`), isRequired: true },
        {
          name: 'provider',
          label: t`Player`,
          kind: 'choice',
          choices: [
            ['file', t`Video file`],
            ['youtube', t`YouTube`],
            ['vimeo', t`Vimeo`],
          ],
        },
        link('poster', t`Image before it plays`),
        { name: 'autoplay', label: t`Play at once, without sound`, kind: 'switch' },
      ],
    },
    countdown: {
      label: t`Countdown`,
      initial: { minutes: 60 },
      nameOf: ({ minutes, until }) => until ?? plural(Number(minutes), { one: '# minute', other: '# minutes' }),
      fields: [
        number('minutes', t`Minutes from the first visit`),
        line('until', t`Or until`, t`The same end for all visitors, such as 2030-12-24T18:00:00+01:00.`),
        link('href', t`Page to open at the end`),
      ],
    },
    menu: {
      label: t`Menu`,
      initial: { items: [{ text: 'Home', href: '#' }] },
      nameOf: ({ items }) => (Array.isArray(items) ? items.map((each) => Object(each).text).join(', ') : ''),
      fields: [{ name: 'items', label: t`Links`, kind: 'links' }, align()],
    },
    divider: {
      label: t({ message: 'Line', context: 'divider' }),
      initial: {},
      fields: [number('thickness', t`Thickness in pixels`), color('color', t`Colour`)],
    },
    spacer: {
      label: t({ message: 'Space', context: 'gap between blocks' }),
      initial: { height: 24 },
      fields: [number('height', t`Height in pixels`)],
    },
    html: {
      label: t`HTML`,
      initial: { html: '<p></p>' },
      fields: [{ name: 'html', label: t`HTML`, kind: 'area', description: t`Scripts are left out.`, isRequired: true }],
    },
  }),
)

/** What is set for a section. */
const sectionFields = once((): readonly BlockField[] => [
  color('background.color', t`Background`),
  line('background.src', t`Image behind the section`),
  { ...line('id', t`Anchor`, t`Links lead here with # and this name.`) },
  { name: 'hidden', label: t`Hidden`, kind: 'switch' },
])

/** What is set for the whole page. */
const pageFields = once((): readonly BlockField[] => [
  color('settings.accentColor', t`Buttons and links`),
  color('settings.backgroundColor', t`Background`),
  color('settings.color', t({ message: 'Text', context: 'colour' })),
  number('settings.width', t`Width in pixels`),
  line('settings.language', t`Language`, t`Such as en or fr.`),
])

const readNodes = (list: unknown): Block[] =>
  readBlocks(list, undefined, ({ children, ...values }) => [
    values,
    Array.isArray(children) ? readNodes(children) : undefined,
  ])

const writeNode = ({ type, values, children }: Block): object => ({
  type,
  ...values,
  ...(children && { children: children.map(writeNode) }),
})

/** Pages: sections of rows of columns of elements. */
export const pageModel: DocumentModel = {
  get contentLabel() {
    return t`Content of the page`
  },
  get styleLabel() {
    return t`Colours of this page`
  },
  get kinds() {
    return kinds()
  },
  get sectionFields() {
    return sectionFields()
  },
  get rootFields() {
    return pageFields()
  },
  hasRows: true,
  hasConditions: false,
  read: (document) => {
    const { root, ...values } = Object(document)
    return { values: { ...values, version: 1 }, sections: readNodes(root) }
  },
  write: ({ values, sections }) => ({ ...values, root: sections.map(writeNode) }),
  placeOf: (path) => {
    const [found, inner] = /^root((?:\.(?:\d+|children(?=\.\d)))+)(?=\.|$)/.exec(path) ?? []
    if (found === undefined || inner === undefined) return undefined
    return { at: inner.match(/\d+/g)?.map(Number) ?? [], property: path.slice(found.length + 1) }
  },
}
