import { z } from 'zod'
import { richTextOf } from './rich-text.ts'
import { color, line, messageLink, pictureUrl, prose, size } from './values.ts'

// Schema of the content of messages. A property that the schema does not name is an error, so that a typing error is found.

/** The most blocks of one message, with those of columns. */
export const maxBlocks = 500

/** The maximum size of a message in bytes of JSON, with its reusable blocks. */
export const maxContentBytes = 256 * 1024

/** The most different conditions of one message. Their outcomes are the bits of an integer, beside those of a version. */
export const maxConditions = 20

const { InlineText, RichText } = richTextOf(messageLink)
const align = z.enum(['left', 'center', 'right']).describe('Alignment.')
const nodeId = z.string().max(64).optional().describe('ID of the block, for editors.')
const showTo = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Contacts to whom it is shown: a value of the input type ContactFilterInput. If absent, all.')
const alt = line.describe('What the picture shows, for readers without pictures. Empty for decoration.')

function block<Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) {
  return z.strictObject({ type: z.literal(type), id: nodeId, showTo, ...shape }).describe(description)
}

const Product = {
  name: line.min(1, 'must not be empty'),
  price: z.string().max(40).optional().describe('The price as it is shown, for example `12.50 EUR`.'),
  description: line.optional(),
  src: pictureUrl.optional().describe('URL of the picture.'),
  alt: alt.optional(),
  href: messageLink.describe('Page of the product.'),
  button: line.optional().describe('Label of the button. No button if absent.'),
}

/** The networks to which a block can link. */
export const networks = {
  ...{
    WEBSITE: 'Website',
    FACEBOOK: 'Facebook',
    INSTAGRAM: 'Instagram',
    LINKEDIN: 'LinkedIn',
    X: 'X',
    YOUTUBE: 'YouTube',
  },
  ...{ TIKTOK: 'TikTok', MASTODON: 'Mastodon', BLUESKY: 'Bluesky', THREADS: 'Threads', PINTEREST: 'Pinterest' },
  ...{ WHATSAPP: 'WhatsApp', TELEGRAM: 'Telegram', DISCORD: 'Discord', GITHUB: 'GitHub', PODCAST: 'Podcast' },
} as const

export type Network = keyof typeof networks
const Networks = z.enum(Object.keys(networks) as [Network, ...Network[]])
export const SocialLinks = z
  .array(z.strictObject({ network: Networks, href: messageLink }))
  .max(20, 'must have at most 20 items')

const blocks = [
  block('heading', 'A heading.', {
    content: InlineText.describe('Text of the heading.'),
    level: z.int().min(1).max(3).optional().describe('Heading level, 1 to 3. Defaults to 2.'),
    align: align.optional(),
    color: color.optional(),
  }),
  block('text', 'Paragraphs and lists.', { content: RichText, align: align.optional(), color: color.optional() }),
  block('image', 'A picture.', {
    src: pictureUrl,
    alt,
    href: messageLink.optional().describe('Link of the picture.'),
    width: size(1_200).optional().describe('Width in pixels. Defaults to the width of the column.'),
    align: align.optional(),
  }),
  block('button', 'A button that is a link.', {
    text: line.min(1, 'must not be empty').describe('Label of the button.'),
    href: messageLink,
    align: align.optional().describe('Alignment. Defaults to `center`.'),
    color: color.optional().describe('Colour of the label.'),
    backgroundColor: color.optional(),
    fullWidth: z.boolean().optional().describe('Whether the button is as wide as the column. Defaults to false.'),
  }),
  block('divider', 'A horizontal line.', { color: color.optional(), thickness: size(20).optional() }),
  block('spacer', 'Vertical space.', { height: size(400).optional().describe('Height in pixels. Defaults to 24.') }),
  block('social', 'Links to social networks.', {
    links: SocialLinks.optional().describe('Defaults to those of the brand.'),
    align: align.optional().describe('Alignment. Defaults to `center`.'),
  }),
  block('logo', 'The logo of the brand. Nothing is shown if the brand has none.', {
    width: size(600).optional().describe('Width in pixels. Defaults to 160.'),
    href: messageLink.optional(),
    align: align.optional().describe('Alignment. Defaults to `center`.'),
  }),
  block('product', 'A product with picture, name, price and a link.', { ...Product, align: align.optional() }),
  block('video', 'A picture that links to a video, because mail programs play none.', {
    href: messageLink.describe('Page of the video.'),
    src: pictureUrl.describe('URL of a picture of the video.'),
    alt,
    label: line.optional().describe('Text of the link below the picture. Defaults to `▶ Watch the video`.'),
  }),
  block('html', 'HTML of your own.', {
    html: prose.describe('Scripts, forms, frames, style sheets and comments are removed.'),
  }),
  block('footer', 'Postal address, and links to unsubscribe and to view the message in a browser.', {
    address: z.string().max(1_000).optional().describe('Postal address. Defaults to that of the brand.'),
    text: line.optional().describe('Why the reader receives the message.'),
    unsubscribe: line.optional().describe('Text of the link. Defaults to `Unsubscribe`.'),
    view: z.string().max(1_000).nullish().describe('Text of the link. Defaults to `View in browser`. No link if null.'),
    align: align.optional().describe('Alignment. Defaults to `center`.'),
  }),
] as const

const reusable = block('reusable', 'The blocks of a reusable block (`reusableBlocks`), as they are at that time.', {
  reusableBlockId: z.string().max(100).describe('ID of the reusable block.'),
})

const typesOf = (all: readonly { shape: { type: { value: string } } }[]) => ({
  error: `must be one of ${all.map(({ shape }) => shape.type.value).join(', ')}`,
})
const allBlocks = [...blocks, reusable] as const

/** A block that refers to no other. */
const PlainBlock = z.discriminatedUnion('type', blocks, typesOf(blocks))

const Block = z.discriminatedUnion('type', allBlocks, typesOf(allBlocks)).meta({ id: 'Block' })

/** The content of a reusable block. */
export const ReusableContent = z
  .array(PlainBlock)
  .min(1, 'must not be empty')
  .max(maxBlocks, `must have at most ${maxBlocks} items`)

const Column = z
  .strictObject({
    id: nodeId,
    width: z
      .int()
      .min(1)
      .max(12)
      .optional()
      .describe('Width in twelfths of the section. Columns without a width share the rest equally.'),
    align: z.enum(['top', 'middle', 'bottom']).optional().describe('Vertical alignment. Defaults to `top`.'),
    blocks: z.array(Block).max(maxBlocks, `must have at most ${maxBlocks} items`),
  })
  .meta({ id: 'Column', description: 'A column: blocks from top to bottom.' })

const Section = z
  .strictObject({
    type: z.literal('section'),
    id: nodeId,
    showTo,
    backgroundColor: color.optional(),
    padding: size(200).optional().describe('Space above and below, in pixels. Defaults to 16.'),
    stacked: z.boolean().optional().describe('Whether phones show the columns below each other. Defaults to true.'),
    columns: z
      .array(Column)
      .min(1, 'must have 1 to 4 columns')
      .max(4, 'must have 1 to 4 columns')
      .refine(
        (columns) => columns.reduce((sum, { width = 1 }) => sum + width, 0) <= 12,
        'must be at most 12 twelfths wide together',
      ),
  })
  .meta({ id: 'Section', description: 'A section: columns from left to right.' })

/** The fonts that mail programs have, with those that stand in for them. */
export const fonts = {
  ARIAL: 'Arial, Helvetica, sans-serif',
  VERDANA: 'Verdana, Geneva, sans-serif',
  TAHOMA: 'Tahoma, Verdana, sans-serif',
  TREBUCHET: "'Trebuchet MS', Helvetica, sans-serif",
  GEORGIA: 'Georgia, Times, serif',
  TIMES: "'Times New Roman', Times, serif",
  COURIER: "'Courier New', Courier, monospace",
  SYSTEM: "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif",
} as const
export type Font = keyof typeof fonts
export const Fonts = z.enum(Object.keys(fonts) as [Font, ...Font[]])

/** The style of messages. Everything that is absent comes from the brand. */
export const Style = z.strictObject({
  backgroundColor: color.optional().describe('Colour around the content.'),
  contentColor: color.optional().describe('Colour behind the content.'),
  textColor: color.optional(),
  accentColor: color.optional().describe('Colour of buttons and links.'),
  font: Fonts.optional(),
})

/** The content of a message. */
export const MessageContent = z
  .strictObject({
    version: z.literal(1),
    style: Style.optional(),
    sections: z.array(Section).min(1, 'must not be empty').max(200, 'must have at most 200 items'),
  })
  .refine(
    ({ sections }) => countBlocks(sections) <= maxBlocks,
    `must have at most ${maxBlocks} blocks in all of its columns`,
  )
  .meta({ title: 'Message', description: 'Content of a message: sections of columns of blocks.' })

function countBlocks(sections: readonly { columns: readonly { blocks: readonly unknown[] }[] }[]): number {
  return sections.reduce((count, { columns }) => columns.reduce((sum, { blocks: own }) => sum + own.length, count), 0)
}

/** A block as it is shown. */
export type MessageBlock = z.output<typeof PlainBlock>
export type MessageSection = z.output<typeof Section>
export type MessageDocument = z.output<typeof MessageContent>

/** JSON Schema of the content of messages, for editors. */
export const messageSchema = z.toJSONSchema(MessageContent, { target: 'draft-2020-12', io: 'input' })
