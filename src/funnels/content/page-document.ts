import { z } from 'zod'
import { line, pageLink as link, prose, richTextOf, size } from '../../content/rendering.ts'

// Schema of page documents. Objects keep properties that the schema does not name, because editors store their own.

const { RichText } = richTextOf(link)
const align = z.enum(['left', 'center', 'right', 'justify']).describe('Text alignment.')

/** Properties that every node can have. */
const common = {
  id: z.string().max(64).optional().describe('ID of the node. Also the HTML id, if it is valid and unique.'),
  style: z
    .looseObject({})
    .optional()
    .describe('CSS properties in camel case. Properties and values that are not allowed are ignored.'),
  hidden: z.boolean().optional().describe('Whether the page omits the node. Defaults to false.'),
}

function element<Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...common, ...shape }).describe(description)
}

const termsText = prose
  .optional()
  .describe(
    'Text of a required checkbox that accepts terms, such as terms of sale. Grants no consent. No checkbox if absent.',
  )

const marketingConsent =
  'Text of a checkbox that grants consent to marketing e-mail. No checkbox if absent. Never ticked in advance.'

const Element = z
  .discriminatedUnion(
    'type',
    [
      element('title', 'A heading.', {
        text: line.describe('Text of the heading.'),
        level: z.int().min(1).max(6).optional().describe('Heading level, 1 to 6. Defaults to 2.'),
        align: align.optional(),
      }),
      element('text', 'Paragraphs of text.', {
        text: prose.optional().describe('Plain text. A blank line starts a new paragraph.'),
        content: RichText.optional().describe('Paragraphs and lists with formats. Replaces `text` and `html`.'),
        html: prose.optional().describe('HTML that replaces `text`. The page omits scripts and other unsafe elements.'),
        align: align.optional(),
      }),
      element('image', 'An image.', {
        src: link.describe('URL of the image.'),
        alt: line.optional().describe('Alternative text for screen readers.'),
        href: link.optional().describe('Link of the image.'),
        width: size(10_000)
          .optional()
          .describe('Width in pixels. Defaults to the natural width, limited by the column.'),
        align: align.optional(),
      }),
      element('button', 'A button that links to `href` or to the next step, or submits the first form.', {
        text: line.describe('Label of the button.'),
        href: link.optional().describe('Target of the action `link`. Defaults to the next step.'),
        action: z
          .enum(['link', 'next_step', 'submit'])
          .optional()
          .describe('Action of the button. Defaults to `link`.'),
        target: z.enum(['_self', '_blank']).optional().describe('Browsing context of the link. Defaults to `_self`.'),
        align: align.optional(),
      }),
      element('video', 'A video.', {
        src: link.describe('URL of the video file, or of the video page of the provider.'),
        provider: z.enum(['file', 'youtube', 'vimeo']).optional().describe('Player of the video. Defaults to `file`.'),
        poster: link.optional().describe('URL of the image to show before playback.'),
        autoplay: z.boolean().optional().describe('Whether playback starts automatically, muted. Defaults to false.'),
      }),
      element('form', 'The form of the step.', {
        fields: z
          .array(z.looseObject({ name: z.string().max(64), label: line.optional(), required: z.boolean().optional() }))
          .max(100)
          .optional()
          .describe(
            'Questions and contact fields to ask. Required questions are always asked. Defaults to all questions.',
          ),
        buttonText: line.optional().describe('Label of the submit button. Defaults to `Send`.'),
        termsText,
        marketingConsentText: prose
          .optional()
          .describe(`${marketingConsent} Required, because it is what the form is for.`),
        action: link.optional().describe('Link to open after the submission. Defaults to the next step.'),
      }),
      element('order_form', 'A form that places an order.', {
        product: z
          .looseObject({ name: line, amount: z.string().max(40).optional(), currency: z.string().length(3).optional() })
          .optional()
          .describe(
            'Product to sell. `amount` is a decimal string, for example `12.50`. `currency` defaults to that of the account.',
          ),
        buttonText: line.optional().describe('Label of the submit button. Defaults to `Buy now`.'),
        termsText,
        marketingConsentText: prose.optional().describe(`${marketingConsent} Never required for an order.`),
        action: link.optional().describe('Link to open after the order. Defaults to the next step.'),
      }),
      element('countdown', 'A countdown timer.', {
        until: z.iso.datetime({ offset: true }).optional().describe('End of the countdown, the same for all visitors.'),
        minutes: size(525_600)
          .optional()
          .describe('Duration in minutes from the first visit of the visitor. Ignored if `until` is present.'),
        href: link.optional().describe('Link to open at the end of the countdown.'),
      }),
      element('list', 'A list.', {
        items: z.array(z.union([prose, z.looseObject({ text: prose, href: link.optional() })])).max(500),
        ordered: z.boolean().optional().describe('Whether the list is numbered. Defaults to false.'),
      }),
      element('divider', 'A horizontal line.', {
        thickness: size(100).optional(),
        color: z.string().max(64).optional(),
      }),
      element('spacer', 'Vertical space.', {
        height: size(10_000).optional().describe('Height in pixels. Defaults to 24.'),
      }),
      element('html', 'Custom HTML.', { html: prose.describe('The page omits scripts and other unsafe elements.') }),
      element('menu', 'A navigation bar with links.', {
        items: z.array(z.looseObject({ text: line, href: link })).max(100),
        align: align.optional(),
      }),
    ],
    {
      error:
        'must be one of title, text, image, button, video, form, order_form, countdown, list, divider, spacer, html, menu',
    },
  )
  .meta({ id: 'Element' })

const Column = z
  .looseObject({
    type: z.literal('column'),
    ...common,
    width: z
      .number()
      .min(1)
      .max(12)
      .optional()
      .describe('Width in twelfths of the row. Columns without a width share the rest equally.'),
    children: z.array(Element),
  })
  .meta({ id: 'Column', description: 'A column: elements from top to bottom.' })

const Row = z
  .looseObject({ type: z.literal('row'), ...common, children: z.array(Column) })
  .meta({ id: 'Row', description: 'A row: columns from left to right.' })

const Section = z
  .looseObject({
    type: z.literal('section'),
    ...common,
    background: z.looseObject({ color: z.string().max(64).optional(), src: link.optional() }).optional(),
    children: z.array(Row),
  })
  .meta({ id: 'Section', description: 'A section: rows over the full width of the page.' })

const Settings = z
  .looseObject({
    language: z
      .string()
      .max(35)
      .optional()
      .describe('BCP 47 language tag of the page, for example `en` or `pt-BR`. Defaults to `en`.'),
    width: size(10_000).optional().describe('Maximum width of the content in pixels, from 200.'),
    backgroundColor: z.string().max(64).optional(),
    color: z.string().max(64).optional(),
    accentColor: z.string().max(64).optional().describe('Colour of buttons and links.'),
    fontFamily: z.string().max(255).optional(),
    icon: z.looseObject({ src: link }).optional().describe('Icon of the page (favicon).'),
  })
  .meta({ id: 'Settings', description: 'Settings of the whole page.' })

/** A page document. */
export const PageDocument = z
  .looseObject({ version: z.literal(1), settings: Settings.optional(), root: z.array(Section) })
  .meta({ title: 'Page', description: 'Content of a funnel page: sections of rows of columns of elements.' })

/** JSON Schema of page documents, for editors. */
export const pageSchema = z.toJSONSchema(PageDocument, { target: 'draft-2020-12', io: 'input' })
