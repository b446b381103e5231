import { z } from 'zod'

// What a page's document may hold. Every object keeps properties that are not named here: editors have their own.

/** No white space, no control character, and no backslash, which browsers read as a slash. */
const plain = String.raw`[^\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]`
const web = `[hH][tT][tT][pP][sS]?://${plain}+`
const mailOrPhone = `(?:[mM][aA][iI][lL][tT][oO]|[tT][eE][lL]):${plain}+`
/** An address without a scheme, and without a host: `/x`, `x`, `?x`, `#x`, or nothing. */
const relative = `(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:)${plain}*`

const maxLinkLength = 2_048
const linkPattern = new RegExp(`^(?:${web}|${mailOrPhone}|${relative})$`)

/** A link that a page may hold: nothing that runs, and no host without its scheme. */
const link = z
  .string()
  .max(maxLinkLength, `must have ${maxLinkLength} characters at most`)
  .regex(linkPattern, 'must be a web address, mailto:, tel:, # or a path of this site')
  .describe('An http or https address, `mailto:`, `tel:`, `#place`, or a path of the same site.')

/** Whether a page may lead there: what a document may hold, asked again of what its merge fields make of it. */
export function isLink(text: string): boolean {
  return text.length <= maxLinkLength && linkPattern.test(text)
}

const line = z.string().max(1_000, 'must have 1000 characters at most')
const prose = z.string().max(100_000, 'must have 100000 characters at most')
const align = z.enum(['left', 'center', 'right', 'justify']).describe('How its lines stand.')
const size = (max: number) => z.number().min(0, 'must not be negative').max(max, `must be ${max} at most`)

/** What everything on a page can have. */
const common = {
  id: z.string().max(64).optional().describe('What an editor knows it by.'),
  style: z.looseObject({}).optional().describe('How it looks: CSS properties in camel case.'),
  hidden: z.boolean().optional().describe('Whether it is left out of the page.'),
}

function element<Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...common, ...shape }).describe(description)
}

const Element = z
  .discriminatedUnion(
    'type',
    [
      element('title', 'A heading.', {
        text: line.describe('What it says.'),
        level: z.int().min(1).max(6).optional().describe('1 is the largest; 2 where absent.'),
        align: align.optional(),
      }),
      element('text', 'Running text.', {
        text: prose.optional().describe('Plain text; a blank line begins a paragraph.'),
        html: prose.optional().describe('HTML in its place: what runs is left out when it is shown.'),
        align: align.optional(),
      }),
      element('image', 'A picture.', {
        src: link.describe('Where it is.'),
        alt: line.optional().describe('What it shows, for who does not see it.'),
        href: link.optional().describe('Where it leads.'),
        width: size(10_000).optional().describe('In pixels; as wide as there is room where absent.'),
        align: align.optional(),
      }),
      element('button', 'A button: it leads to `href`, or to the next step.', {
        text: line.describe('What it says.'),
        href: link.optional().describe('Where it leads.'),
        action: z.enum(['link', 'next_step', 'submit']).optional().describe('`link` where absent.'),
        target: z.enum(['_self', '_blank']).optional().describe('Where it opens.'),
        align: align.optional(),
      }),
      element('video', 'A film.', {
        src: link.describe('Where it is.'),
        provider: z.enum(['file', 'youtube', 'vimeo']).optional().describe('Who plays it; `file` where absent.'),
        poster: link.optional().describe('The picture before it begins.'),
        autoplay: z.boolean().optional().describe('Whether it begins by itself, without sound.'),
      }),
      element('form', "The step's own form.", {
        fields: z
          .array(z.looseObject({ name: z.string().max(64), label: line.optional(), required: z.boolean().optional() }))
          .max(100)
          .optional()
          .describe('Which of its questions are asked here; all of them where absent.'),
        buttonText: line.optional().describe('What its button says.'),
        consentText: prose.optional().describe('What the visitor agrees to.'),
        action: link.optional().describe('Where the visitor goes afterwards; the next step where absent.'),
      }),
      element('order_form', 'A form to buy on.', {
        product: z
          .looseObject({ name: line, amount: z.string().max(40).optional(), currency: z.string().length(3).optional() })
          .optional()
          .describe('What is sold; the amount is decimal text such as `12.50`.'),
        buttonText: line.optional().describe('What its button says.'),
        consentText: prose.optional().describe('What the buyer agrees to.'),
        action: link.optional().describe('Where the buyer goes afterwards; the next step where absent.'),
      }),
      element('countdown', 'The time that is left.', {
        until: z.iso.datetime({ offset: true }).optional().describe('Until a moment, the same for all.'),
        minutes: size(525_600).optional().describe('Or for as many minutes from the first visit on.'),
        href: link.optional().describe('Where it leads when none is left.'),
      }),
      element('list', 'A list.', {
        items: z.array(z.union([prose, z.looseObject({ text: prose, href: link.optional() })])).max(500),
        ordered: z.boolean().optional().describe('Whether it is numbered.'),
      }),
      element('divider', 'A line across.', { thickness: size(100).optional(), color: z.string().max(64).optional() }),
      element('spacer', 'An empty space.', { height: size(10_000).optional().describe('In pixels; 24 where absent.') }),
      element('html', 'HTML of its own.', { html: prose.describe('What runs is left out when it is shown.') }),
      element('menu', 'Links beside one another.', {
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
      .describe('How many twelfths of the row; the same for all where absent.'),
    children: z.array(Element),
  })
  .meta({ id: 'Column', description: 'Elements below one another.' })

const Row = z
  .looseObject({ type: z.literal('row'), ...common, children: z.array(Column) })
  .meta({ id: 'Row', description: 'Columns beside one another.' })

const Section = z
  .looseObject({
    type: z.literal('section'),
    ...common,
    background: z.looseObject({ color: z.string().max(64).optional(), src: link.optional() }).optional(),
    children: z.array(Row),
  })
  .meta({ id: 'Section', description: 'A band across the page.' })

const Settings = z
  .looseObject({
    language: z.string().max(35).optional().describe('The language of the page, such as `en` or `pt-BR`.'),
    width: size(10_000).optional().describe('How wide its content is, in pixels.'),
    backgroundColor: z.string().max(64).optional(),
    color: z.string().max(64).optional(),
    accentColor: z.string().max(64).optional().describe('The colour of buttons and links.'),
    fontFamily: z.string().max(255).optional(),
    icon: z.looseObject({ src: link }).optional().describe('The small picture that browsers show beside the title.'),
  })
  .meta({ id: 'Settings', description: 'What holds for all of the page.' })

/** A page's document. */
export const Page = z
  .looseObject({ version: z.literal(1), settings: Settings.optional(), root: z.array(Section) })
  .meta({ title: 'Page', description: 'What a page of a funnel shows: sections of rows of columns of elements.' })

/** The same as JSON Schema, for editors. */
export const pageSchema = z.toJSONSchema(Page, { target: 'draft-2020-12', io: 'input' })
