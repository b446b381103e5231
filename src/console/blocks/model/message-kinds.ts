import { t } from '@lingui/core/macro'
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
  richLine,
  richNodes,
} from './kinds.ts'
import { type Block, newBlock, type Tree } from './tree.ts'

const link = (label = t`Link`): BlockField => line('href', label, t`A web address, mailto: or tel:.`)
const requiredLink = (label?: string): BlockField => ({ ...link(label), isRequired: true })
const alternative = (): BlockField => ({
  ...line('alt', t`Alternative text`, t`What the picture shows, for people who do not see it. Empty for decoration.`),
  isRequired: true,
})
const columnLayouts = () =>
  [
    [undefined, t`Below each other`],
    [false, t`Beside each other`],
  ] as const

/** The blocks of messages, in the order of the menu. */
const plainKinds = once(
  (): Readonly<Record<string, BlockKind>> => ({
    heading: {
      label: t`Heading`,
      words: t`title`,
      initial: { content: [{ type: 'text', text: 'Heading' }] },
      rich: richLine,
      nameOf: ({ content }) => plainText(content),
      fields: [
        {
          name: 'level',
          label: t`Size`,
          kind: 'choice',
          choices: [
            [undefined, t`Heading`],
            [1, t`Main heading`],
            [3, t`Small heading`],
          ],
        },
        align(),
        color('color', t`Colour`),
      ],
    },
    text: {
      label: t`Text`,
      words: t`paragraph list`,
      initial: { content: richDocument(richNodes('Write something.')) },
      rich: {
        isLine: false,
        read: ({ content }) => content as RichDocument,
        write: (values, content) => ({ ...values, content }),
      },
      nameOf: ({ content }) => plainText(content),
      fields: [align(), color('color', t`Colour`)],
    },
    image: {
      label: t`Picture`,
      words: t`image photo`,
      initial: { src: '', alt: '' },
      nameOf: ({ alt, src }) => alt || fileName(src),
      fields: [
        picture('src', t`Picture`),
        alternative(),
        link(),
        number('width', t`Width in pixels`, t`As wide as the column if empty.`),
        align(),
      ],
    },
    button: {
      label: t`Button`,
      words: t`link call to action`,
      initial: { text: 'Read more', href: '' },
      nameOf: ({ text }) => text,
      fields: [
        { ...line('text', t`Label`), isRequired: true },
        requiredLink(),
        align(),
        color('backgroundColor', t`Background`),
        color('color', t({ message: 'Text', context: 'colour' })),
        { name: 'fullWidth', label: t`As wide as the column`, kind: 'switch' },
      ],
    },
    divider: {
      label: t({ message: 'Line', context: 'divider' }),
      words: t`divider rule`,
      initial: {},
      fields: [number('thickness', t`Thickness in pixels`), color('color', t`Colour`)],
    },
    spacer: {
      label: t({ message: 'Space', context: 'gap between blocks' }),
      words: t`spacer gap`,
      initial: { height: 24 },
      fields: [number('height', t`Height in pixels`)],
    },
    product: {
      label: t`Product`,
      words: t`offer price`,
      initial: { name: 'Product', price: '', href: '', button: 'Buy' },
      nameOf: ({ name }) => name,
      fields: [
        { ...line('name', t`Name`), isRequired: true },
        line('price', t`Price`, t`As readers see it, such as 12.50 EUR.`),
        line('description', t`Description`),
        picture('src', t`Picture`),
        line('alt', t`Alternative text`),
        requiredLink(t`Page of the product`),
        line('button', t`Label of the button`, t`No button if empty.`),
        align(),
      ],
    },
    video: {
      label: t`Video`,
      words: t`film youtube vimeo`,
      initial: { src: '', alt: '', href: '' },
      nameOf: ({ alt, href }) => alt || href,
      fields: [
        requiredLink(t`Page of the video`),
        picture('src', t`Picture of the video`),
        alternative(),
        line('label', t`Text of the link`),
      ],
    },
    social: {
      label: t`Social links`,
      words: t`facebook instagram linkedin youtube follow`,
      initial: {},
      fields: [
        { name: 'links', label: t`Links`, kind: 'networks', description: t`Those of the brand if there are none.` },
        align(),
      ],
    },
    logo: {
      label: t`Logo`,
      words: t`brand`,
      initial: {},
      fields: [number('width', t`Width in pixels`), link(), align()],
    },
    html: {
      label: t`HTML`,
      words: t`code`,
      initial: { html: '<p></p>' },
      fields: [{ name: 'html', label: t`HTML`, kind: 'area', description: t`Scripts are left out.`, isRequired: true }],
    },
    footer: {
      label: t`Footer`,
      words: t`unsubscribe address`,
      initial: {},
      nameOf: ({ text }) => text,
      fields: [
        line('text', t`Why readers receive it`),
        { name: 'address', label: t`Postal address`, kind: 'area', description: t`That of the brand if empty.` },
        line('unsubscribe', t`Text of the link to unsubscribe`),
        {
          name: 'view',
          label: t`Link to read it in the browser`,
          kind: 'choice',
          choices: [
            [undefined, t`Shown`],
            [null, t`Hidden`],
          ],
        },
        align(),
      ],
    },
  }),
)

/** Blocks that stand for those of a reusable block. The insert menu lists each by its name. */
const kinds = once(
  (): ReturnType<typeof plainKinds> => ({
    ...plainKinds(),
    reusable: { label: t`Reusable block`, initial: {}, fields: [] },
  }),
)

const sectionFields = once((): readonly BlockField[] => [
  color('backgroundColor', t`Background`),
  number('padding', t`Space above and below, in pixels`),
  { name: 'stacked', label: t`Columns on phones`, kind: 'choice', choices: columnLayouts() },
])

const rootFields = once((): readonly BlockField[] => [
  color('style.contentColor', t`Background of the content`),
  color('style.textColor', t({ message: 'Text', context: 'colour' })),
  color('style.accentColor', t`Buttons and links`),
  color('style.backgroundColor', t`Around the content`),
])

const readColumn = (blocks: unknown) => readBlocks(blocks, undefined, (values) => [values, undefined])
const writeBlock = ({ type, values }: Block) => ({ type, ...values })

/** Messages: sections of columns of blocks. */
export const messageModel: DocumentModel = {
  get contentLabel() {
    return t`Content of the message`
  },
  get styleLabel() {
    return t`Colours of this message`
  },
  get kinds() {
    return kinds()
  },
  get sectionFields() {
    return sectionFields()
  },
  get rootFields() {
    return rootFields()
  },
  hasRows: false,
  hasConditions: true,
  read: (document) => {
    const { sections, ...values } = Object(document)
    const read = readBlocks(sections, 'section', ({ columns, ...rest }) => [
      rest,
      [
        newBlock(
          'row',
          {},
          readBlocks(columns, 'column', ({ blocks, ...own }) => [own, readColumn(blocks)]),
        ),
      ],
    ])
    return { values: { ...values, version: 1 }, sections: read }
  },
  write: ({ values, sections }: Tree) => ({
    ...values,
    sections: sections.map(({ values: own, children: [row] = [] }) => ({
      type: 'section',
      ...own,
      columns: (row?.children ?? []).map((column) => ({
        ...column.values,
        blocks: (column.children ?? []).map(writeBlock),
      })),
    })),
  }),
  placeOf: (path) => {
    const [found, section, column, block] =
      /^sections\.(\d+)(?:\.columns\.(\d+)(?:\.blocks\.(\d+))?)?(?=\.|$)/.exec(path) ?? []
    if (found === undefined) return undefined
    const inner = [column, block].filter((each) => each !== undefined)
    const at = [section, ...(inner.length > 0 ? ['0', ...inner] : [])].map(Number)
    return { at, property: path.slice(found.length + 1) }
  },
}

/** Reusable blocks: one column. */
export const reusableModel: DocumentModel = {
  get contentLabel() {
    return t`Content of the reusable block`
  },
  get kinds() {
    return plainKinds()
  },
  hasRows: false,
  hasConditions: true,
  isFlat: true,
  sectionFields: [],
  rootFields: [],
  read: (blocks) => ({
    values: {},
    sections: [newBlock('section', {}, [newBlock('row', {}, [newBlock('column', {}, readColumn(blocks))])])],
  }),
  write: ({ sections }) => (sections[0]?.children?.[0]?.children?.[0]?.children ?? []).map(writeBlock),
  placeOf: (path) => {
    const [found, block] = /^(\d+)(?=\.|$)/.exec(path) ?? []
    return found === undefined ? undefined : { at: [0, 0, 0, Number(block)], property: path.slice(found.length + 1) }
  },
}
