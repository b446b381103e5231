import type { MessageFrequency, UnsubscribeReason } from '../../../prisma/generated/client/client.ts'
import { languageNames, type Texts } from '../../kernel/texts/texts.ts'
import { type Html, html } from '../../kernel/web/html.ts'
import type { MessagePage } from '../../kernel/web/message-page.ts'
import { masked } from '../outgoing-message.ts'
import type { Preferences } from './preferences.ts'

/** What a button of the page asks for, in its field `page`. */
export const actions = ['all', 'yes', 'topic', 'save', 'undo', 'reason'] as const

const frequencies: readonly MessageFrequency[] = ['ANY', 'WEEKLY', 'MONTHLY']

/** The reasons of an opt-out that a contact can give. */
export const reasons: readonly UnsubscribeReason[] = ['TOO_MANY', 'NOT_RELEVANT', 'NEVER_SIGNED_UP', 'OTHER']

/** The style of the forms, after that of all message pages. */
const style = `form + form, h2 { margin-top: 2rem } h2 { font-size: 1.25rem; margin-bottom: .5rem }
fieldset { border: 0; margin: 0 0 1rem; padding: 0 } legend { font-weight: 600; padding: 0; margin-bottom: .25rem }
label { display: block; margin: .5rem 0 } label small { display: block; margin-left: 1.9rem; opacity: .8 }
input { width: 1.2rem; height: 1.2rem; margin: 0 .7rem 0 0; vertical-align: -.2rem }
select { font: inherit; display: block; width: 100%; box-sizing: border-box; padding: .6rem; margin-top: .25rem }
.quiet { background: none; color: inherit; border: 1px solid }
`

/** What a page of the preferences shows, with a style of its own before that of the account. */
type Page = MessagePage & { readonly style: string }

/** Returns the values of the texts. */
const valuesOf = ({ email, accountName }: Preferences) => ({ address: masked(email), account: accountName })

/** Returns the page of a message: its topic and everything can be left, and the preferences changed. */
export function preferencePage(texts: Texts, preferences: Preferences): Page {
  const { language, text } = texts
  const { topic, isSubscribed } = preferences
  const values = valuesOf(preferences)
  if (!isSubscribed) return { ...optedOutPage(texts, preferences, null), title: text('preferences.title') }
  if (preferences.topics.length === 0) {
    const sentence = text('unsubscribe.question', values)
    const more = html`${button('all', text('unsubscribe.button'))}${choices(texts, preferences)}`
    return { language, title: text('unsubscribe.title'), sentence, more, style }
  }
  const leaving = topic?.receives ? button('topic', text('preferences.leaveTopic', { topic: topic.name })) : ''
  return {
    ...texts.page('preferences', values),
    more: html`${leaving}${choices(texts, preferences)}${button('all', text('preferences.leaveAll', values), 'quiet')}`,
    style,
  }
}

/** Returns the page after an opt-out: from a topic, or from everything. It can be undone, and a reason given. */
export function optedOutPage(
  { language, text }: Texts,
  preferences: Preferences,
  topicId: number | null,
  isAnswered = false,
): Page {
  const topic = preferences.topics.find(({ id }) => id === topicId)
  const values = { ...valuesOf(preferences), topic: topic?.name ?? '' }
  const canUndo = topic ? !topic.receives : preferences.canUndo
  const undo = canUndo
    ? html`<form method="post"><input type="hidden" name="topic" value="${topic?.id ?? ''}"><button class="quiet" name="page" value="undo">${text('unsubscribe.undo')}</button></form>`
    : ''
  const why = html`<form method="post"><fieldset><legend>${text('unsubscribe.why')}</legend>${reasons.map(
    (reason) =>
      html`<label><input type="radio" name="reason" value="${reason}" required>${text(`unsubscribe.why.${reason}`)}</label>`,
  )}</fieldset><input type="hidden" name="topic" value="${topic?.id ?? ''}"><button class="quiet" name="page" value="reason">${text('unsubscribe.send')}</button></form>`
  const left = text(topic ? 'unsubscribe.done.topic' : 'unsubscribe.done.all', values)
  return {
    language,
    title: text('unsubscribe.done.title'),
    sentence: isAnswered ? `${left} ${text('unsubscribe.answered')}` : left,
    more: html`${undo}${!isAnswered && preferences.hasOptedOut && why}`,
    style,
  }
}

/** Returns the page after the preferences were saved. */
export function savedPage(texts: Texts, preferences: Preferences): Page {
  const page = preferencePage(texts, preferences)
  const { title, sentence } = texts.page('preferences.saved')
  return { ...page, title, sentence: `${sentence} ${page.sentence}` }
}

const button = (action: (typeof actions)[number], text: string, kind = ''): Html =>
  html`<form method="post"><button class="${kind}" name="page" value="${action}">${text}</button></form>`

function choices({ text }: Texts, { topics, frequency, locale }: Preferences): Html {
  const own = locale.split('-')[0] ?? ''
  return html`<form method="post">
${
  topics.length > 0 &&
  html`<fieldset><legend>${text('preferences.topics')}</legend>${topics.map(
    ({ id, name, description, receives }) =>
      html`<input type="hidden" name="shown" value="${id}"><label><input type="checkbox" name="topic" value="${id}"${receives && html` checked`}>${name}${description !== '' && html`<small>${description}</small>`}</label>`,
  )}</fieldset>`
}
<p><label>${text('preferences.frequency')} <select name="frequency">${frequencies.map(
    (value) =>
      html`<option value="${value}"${value === frequency && html` selected`}>${text(`preferences.frequency.${value}`)}</option>`,
  )}</select></label></p>
<p><label>${text('preferences.language')} <select name="language"><option value=""></option>${Object.entries(
    languageNames,
  ).map(
    ([value, name]) =>
      html`<option value="${value}" lang="${value}"${value === own && html` selected`}>${name}</option>`,
  )}</select></label></p>
<button class="quiet" name="page" value="save">${text('preferences.save')}</button></form>`
}
