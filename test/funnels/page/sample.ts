import type { Question } from '../../../src/forms/index.ts'
import type { PageSource } from '../../../src/funnels/html/elements/model.ts'

/** Returns a question of a form. */
export function question(id: number, type: Question['type'], label: string, more: Partial<Question> = {}): Question {
  const contactField = type === 'EMAIL' ? ('EMAIL' as const) : null
  const content = { label, type, required: false, options: null, points: [], contactField, customFieldId: null }
  const times = { createdAt: new Date(0), updatedAt: new Date(0), removedAt: null }
  const place = { accountId: 1, id, formId: 1, position: id, version: 1 }
  return { ...place, ...times, ...content, ...more }
}

/** Returns a section of rows of columns of elements. */
export function band(columns: readonly (readonly object[])[], more: object = {}): object {
  const children = columns.map((elements) => ({ type: 'column', children: elements }))
  return { type: 'section', children: [{ type: 'row', children }], ...more }
}

/** The default input of a page. */
export function sourceOf(root: readonly object[], more: Partial<PageSource> = {}, settings: object = {}): PageSource {
  return {
    title: 'Kiln & Clay',
    description: 'Bowls from the fire.',
    document: { version: 1, settings, root },
    questions: [question(1, 'EMAIL', 'E-mail address', { required: true })],
    action: '/p/kiln/7/bowls',
    nextUrl: '/p/kiln/7/thanks',
    ...more,
  }
}

/** Returns such a page with elements in one column. */
export function pageOf(elements: readonly object[], more: Partial<PageSource> = {}, settings: object = {}): PageSource {
  return sourceOf([band([elements])], more, settings)
}

/** An unknown visitor without input. */
export const nobody = { values: () => '' }

/** The page of a shop with every element. */
export const shop: PageSource = sourceOf(
  [
    band([
      [{ type: 'text', text: 'Kiln & Clay', style: { fontWeight: 700 } }],
      [
        {
          type: 'menu',
          align: 'right',
          items: [
            { text: 'The bowls', href: '#bowls' },
            { text: 'Workshop', href: '#workshop' },
            { text: 'Questions', href: '#questions' },
          ],
        },
      ],
    ]),
    band(
      [
        [
          { type: 'title', text: 'Bowls that remember the fire', level: 1 },
          {
            type: 'text',
            text: 'Hello {{FIRST_NAME:friend}}, every bowl is thrown by hand and fired with wood for three days. No two come out alike.',
          },
          { type: 'button', text: 'See the bowls', href: '#bowls' },
        ],
        [
          {
            type: 'form',
            id: 'join',
            buttonText: 'Send me the guide',
            marketingConsentText: 'I agree to receive e-mails about pottery. I can unsubscribe at any time.',
          },
        ],
      ],
      { background: { color: '#f4efe8' } },
    ),
    {
      type: 'section',
      id: 'bowls',
      children: [
        {
          type: 'row',
          children: [{ type: 'column', children: [{ type: 'title', text: 'Why wood?', align: 'center' }] }],
        },
        {
          type: 'row',
          children: ['Ash does the glazing', 'Three days of flame', 'Made for every day'].map((text) => ({
            type: 'column',
            children: [
              { type: 'title', text, level: 3 },
              {
                type: 'text',
                text: 'The ash settles on the shoulders of each piece and melts into a glaze that nobody can plan.',
              },
            ],
          })),
        },
      ],
    },
    band(
      [
        [{ type: 'video', src: 'https://youtu.be/dQw4w9WgXcQ', provider: 'youtube' }],
        [
          { type: 'title', text: 'A day at the kiln' },
          {
            type: 'list',
            items: ['Wedge, centre, throw', 'Dry for two weeks', { text: 'Read about the firing', href: '/firing' }],
          },
          { type: 'button', text: 'Visit us in {{VISITOR_CITY:the hills}}', action: 'next_step' },
        ],
      ],
      { id: 'workshop', background: { color: '#1d2430' } },
    ),
    band([
      [
        { type: 'title', text: 'The next firing opens in', align: 'center' },
        { type: 'countdown', until: '2099-12-24T18:00:00+01:00', style: { textAlign: 'center' } },
        { type: 'spacer', height: 60 },
        {
          type: 'order_form',
          id: 'buy',
          product: { name: 'Tea bowl, wood-fired', amount: '48.00', currency: 'EUR' },
          termsText: 'I have read the terms of sale.',
        },
      ],
    ]),
    band(
      [
        [
          { type: 'title', text: 'Questions', level: 2 },
          {
            type: 'html',
            html: '<h3>Do you ship?</h3><p>Yes, <a href="/shipping?to={{EMAIL}}">everywhere</a>, in <strong>straw</strong>.</p><blockquote>Mine arrived without a chip.</blockquote><table><tr><th>Where</th><th>Days</th></tr><tr><td>Europe</td><td>3</td></tr><tr><td>World</td><td>9</td></tr></table>',
          },
          { type: 'divider' },
          { type: 'text', text: '© {{YEAR:2026}} Kiln & Clay\nRue du Four 3, Vallauris', align: 'center' },
        ],
      ],
      { id: 'questions' },
    ),
  ],
  {
    questions: [
      question(1, 'SHORT_TEXT', 'First name', { contactField: 'FIRST_NAME' }),
      question(2, 'EMAIL', 'E-mail address', { required: true }),
    ],
  },
)

/** Returns a form with many questions of all types. */
export const survey: PageSource = pageOf(
  [
    { type: 'title', text: 'Tell us about your table', level: 1, align: 'center' },
    { type: 'text', text: 'Two minutes, and we know what to make next.', align: 'center' },
    { type: 'form', buttonText: 'Send it' },
  ],
  {
    questions: [
      question(1, 'EMAIL', 'E-mail address', { required: true }),
      question(2, 'SINGLE_CHOICE', 'What do you drink in the morning?', {
        options: ['Tea', 'Coffee', 'Water'],
        required: true,
      }),
      question(3, 'RATING', 'How do you like your bowls?'),
      question(4, 'MULTIPLE_CHOICE', 'What would you like to see?', { options: ['Plates', 'Cups', 'Vases'] }),
      question(5, 'OPINION_SCALE', 'Would you tell a friend?'),
      question(6, 'LONG_TEXT', 'Anything else?'),
      question(7, 'CONSENT', 'You may write to me about this.', { required: true }),
      question(8, 'DROPDOWN', 'Where do you live?', { options: ['Europe', 'Elsewhere'] }),
      question(9, 'STATEMENT', 'Thank you for your patience.'),
      question(10, 'HIDDEN', 'source'),
    ],
  },
  { backgroundColor: '#faf7f2', accentColor: '#a3471f' },
)
