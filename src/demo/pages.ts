// Page documents of the demonstration, in the format of the page builder. Together they use all element types.

const clay = '#a3471f'
const sand = '#f6f1ea'
const night = '#1f2430'

const settings = { language: 'en', accentColor: clay }

type Element = Readonly<Record<string, unknown>>

function column(children: readonly Element[], width?: number): object {
  return { type: 'column', children, ...(width !== undefined && { width }) }
}

function section(columns: readonly object[], properties: object = {}): object {
  return { type: 'section', children: [{ type: 'row', children: columns }], ...properties }
}

function page(...root: readonly object[]): object {
  return { version: 1, settings, root }
}

function title(text: string, level = 2, properties: object = {}): Element {
  return { type: 'title', text, level, ...properties }
}

function text(content: string, properties: object = {}): Element {
  return { type: 'text', text: content, ...properties }
}

const centred = { align: 'center' }

const brand = column([text('Kiln & Clay', { style: { fontWeight: 700 } })])
const narrow = { style: { paddingTop: 16, paddingBottom: 16 } }
const header = section([brand], narrow)

const headerWithMenu = section([
  brand,
  column([
    {
      type: 'menu',
      align: 'right',
      items: [
        { text: 'The studio', href: '#studio' },
        { text: 'Questions', href: '#questions' },
      ],
    },
  ]),
])

const footer = section(
  [column([text('© {{YEAR:2026}} Kiln & Clay, Vallauris', { ...centred, style: { fontSize: '0.9rem' } })])],
  { style: { paddingTop: 32, paddingBottom: 40 } },
)

/** Opt-in page of the lead funnel. */
export const guidePage = page(
  headerWithMenu,
  section(
    [
      column([
        title('Twelve glazes that never fail', 1),
        text(
          'Hello {{FIRST_NAME:fellow potter}}. Here are the recipes that we fire every week, with the mistakes left in.',
        ),
        {
          type: 'list',
          items: [
            'Measured in grams, tested at three temperatures',
            'Food-safe, with a laboratory certificate',
            'Two pages each, to pin beside the kiln',
          ],
        },
      ]),
      column([
        {
          type: 'form',
          id: 'guide',
          buttonText: 'Send me the guide',
          marketingConsentText:
            'I agree to get the guide and occasional e-mails from the studio. I can unsubscribe at any time.',
        },
      ]),
    ],
    { background: { color: sand } },
  ),
  {
    type: 'section',
    id: 'studio',
    children: [
      { type: 'row', children: [column([title('From a studio that fires every Tuesday', 2, centred)])] },
      {
        type: 'row',
        children: [
          column([title('Ash', 3), text('Wood ash on the shoulders, melted into a glaze that nobody can plan.')]),
          column([title('Iron', 3), text('A spoonful turns honey, two turn tea. The guide says where it tips over.')]),
          column([
            title('Patience', 3),
            text('Three days of fire, two of cooling. The recipes tell you when to open.'),
          ]),
        ],
      },
    ],
  },
  section(
    [
      column([
        title('The next open kiln begins in', 2, centred),
        { type: 'countdown', minutes: 2_880, style: { textAlign: 'center' } },
        { type: 'button', text: 'Get the guide first', align: 'center', action: 'submit' },
      ]),
    ],
    { background: { color: night } },
  ),
  section(
    [
      column([
        title('Questions'),
        {
          type: 'html',
          html: '<h3>Is it really free?</h3><p>Yes. We hope that you will want a bowl one day.</p><h3>Which kiln do I need?</h3><p>Any that reaches <strong>1,220&nbsp;°C</strong>.</p>',
        },
      ]),
    ],
    { id: 'questions' },
  ),
  footer,
)

/** Thank-you page of the lead funnel. */
export const thanksPage = page(
  header,
  section(
    [
      column([
        title('Thank you, {{FIRST_NAME:and welcome}}', 1, centred),
        text('Look into your inbox in a minute. The guide is on its way to {{EMAIL:you}}.', centred),
      ]),
    ],
    { background: { color: sand } },
  ),
  footer,
)

/** Order page of the sales funnel. */
export const shopPage = page(
  header,
  section(
    [
      column(
        [
          title('Spring bowls', 1),
          text('Thrown in March, fired in April. Forty of them, and no two alike.'),
          {
            type: 'list',
            items: [
              'Stoneware, 14 cm wide',
              'Ash glaze, food-safe, for the dishwasher too',
              'Packed in straw, sent within two days',
            ],
          },
          { type: 'divider' },
          {
            type: 'text',
            html: '<blockquote>Mine is chipped after two years of porridge, and I love it more.<br><small>Inès, Marseille</small></blockquote>',
          },
        ],
        7,
      ),
      column(
        [
          {
            type: 'order_form',
            id: 'bowl',
            product: { name: 'Spring bowl', amount: '48.00', currency: 'EUR' },
            buttonText: 'Order my bowl',
            termsText: 'I have read the terms of sale.',
            marketingConsentText: 'Write to me when the next kiln is open. I can unsubscribe at any time.',
          },
        ],
        5,
      ),
    ],
    { background: { color: sand } },
  ),
  footer,
)

/** Confirmation page of the sales funnel. */
export const receivedPage = page(
  header,
  section(
    [
      column([
        title('Order received', 1, centred),
        text('Your bowl is being packed, {{FIRST_NAME:dear guest}}.', centred),
      ]),
    ],
    {
      background: { color: sand },
    },
  ),
  footer,
)

const line = (content: string) => ({
  type: 'text',
  content: { type: 'doc', content: [{ type: 'paragraph', content: [{ type: 'text', text: content }] }] },
})

/** The message that asks visitors of a page to confirm their address, as a document of blocks. */
export const confirmationMessage = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            { type: 'logo' },
            line(
              'Thank you for asking for the glaze guide. It is on its way as soon as we know that this is your address:',
            ),
            { type: 'button', text: 'Send me the guide', href: '{{CONFIRM_URL}}' },
            line('If it was not you, ignore this message: you will get no e-mail.'),
          ],
        },
      ],
    },
  ],
}
