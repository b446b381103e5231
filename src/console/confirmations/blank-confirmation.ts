import { t } from '@lingui/core/macro'

/** The link with which a visitor confirms the address. */
const confirmUrl = '{{CONFIRM_URL}}'

/** The links that a confirmation e-mail can have. Their text becomes part of the message. */
export const confirmationLinks = () =>
  [{ href: confirmUrl, label: t`Confirm the address`, text: 'Confirm my address' }] as const

const paragraphs = (...texts: readonly string[]) => ({
  type: 'text',
  content: { type: 'doc', content: texts.map((text) => ({ type: 'paragraph', content: [{ type: 'text', text }] })) },
})

/** What a confirmation e-mail begins with. It has no footer, because there is nothing to unsubscribe from yet. */
export const blankConfirmation = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            { type: 'logo' },
            paragraphs('Thank you for signing up. Please confirm that this is your address:'),
            { type: 'button', text: 'Confirm my address', href: confirmUrl },
            paragraphs('If it was not you, ignore this message: you will get no e-mail.'),
          ],
        },
      ],
    },
  ],
}
