import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { type Block, newBlock, newRow, newSection, type Tree } from '../blocks/model/tree.ts'
import { pageModel } from './page-kinds.ts'

/** A page to begin with. Its texts become those of the customer, and are no texts of the console. */
interface Template {
  readonly label: MessageDescriptor
  readonly tree: () => Tree
}

const centred = { align: 'center' } as const
const title = (text: string, level = 1): Block => newBlock('title', { text, level, ...centred })
const text = (content: string): Block => newBlock('text', { text: content, ...centred })
const page = (...sections: Block[]): Tree => ({
  values: { version: 1, settings: { language: 'en', accentColor: '#4263eb' } },
  sections,
})
const tinted = { background: { color: '#f1f3f5' } } as const

export const templates = {
  optIn: {
    label: msg`Opt-in`,
    tree: () =>
      page(
        newSection([[title('What you get'), text('Say in two sentences why it is worth an e-mail address.')]], tinted),
        newSection([
          [
            newBlock('title', { text: 'What is inside', level: 2 }),
            newBlock('list', { items: ['First reason', 'Second reason', 'Third reason'] }),
          ],
          [
            newBlock('form', {
              buttonText: 'Send it to me',
              marketingConsentText: 'I agree to receive e-mails. I can unsubscribe at any time.',
            }),
          ],
        ]),
      ),
  },
  thanks: {
    label: msg`Thank you`,
    tree: () =>
      page(
        newSection(
          [[title('Thank you, {{FIRST_NAME:and welcome}}'), text('Look into your inbox in a minute.')]],
          tinted,
        ),
      ),
  },
  ordered: {
    label: msg`Thank you for the order`,
    tree: () =>
      page(
        newSection(
          [
            [
              title('Thank you for your order, {{FIRST_NAME:and welcome}}'),
              text('We have received your order. Nothing was charged: we will write to you about the payment.'),
            ],
          ],
          tinted,
        ),
      ),
  },
  order: {
    label: msg({ message: 'Order', context: 'purchase' }),
    tree: () =>
      page({
        ...newSection([], tinted),
        children: [
          newRow([title('The product'), text('Say what it is, and for whom.')]),
          newRow(
            [newBlock('list', { items: ['What is in the box', 'When it arrives', 'What if I do not like it'] })],
            [
              newBlock('order_form', {
                product: { name: 'Product', amount: '10.00', currency: 'EUR' },
                buttonText: 'Buy now',
                termsText: 'I accept the terms of sale.',
                marketingConsentText: 'I want to receive e-mails about new products. I can unsubscribe at any time.',
              }),
            ],
          ),
        ],
      }),
  },
  blank: { label: msg`Blank`, tree: () => page(newSection([[title('Heading')]])) },
} as const satisfies Readonly<Record<string, Template>>

/** The steps of a new funnel, by its type. */
export const firstSteps = {
  LEAD: [
    { name: 'Opt-in', content: () => pageModel.write(templates.optIn.tree()) },
    { name: 'Thank you', content: () => pageModel.write(templates.thanks.tree()) },
  ],
  SALES: [
    { name: 'Order', content: () => pageModel.write(templates.order.tree()) },
    { name: 'Thank you', content: () => pageModel.write(templates.ordered.tree()) },
  ],
  BLANK: [],
} as const
