import { paragraph } from './content.ts'

export const SetContent = `mutation ($id: ID!, $content: JSON, $html: String, $text: String) {
  campaignContentSet(input: { id: $id, content: $content, html: $html, text: $text }) { campaign { id email { html text } } } }`

export const Preview = `query ($id: ID!, $contactId: ID) {
  campaign(id: $id) { email { preview(contactId: $contactId) { html text } } } }`

/** A text, for the contacts of a filter if there is one. */
export const text = (words: string, showTo?: object) => ({
  type: 'text',
  content: paragraph(words),
  ...(showTo && { showTo }),
})
export const withTag = (tag: { id: string }) => ({ tags: { any: [tag.id] } })
export const footer = { type: 'footer' }
