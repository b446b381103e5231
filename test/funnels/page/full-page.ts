import type { View } from '../../../src/funnels/html/compile.ts'
import type { PageSource } from '../../../src/funnels/html/elements/model.ts'
import { band, pageOf, question } from './sample.ts'

const styled = (text: string) => ({
  style: { color: text, background: text, fontFamily: text, width: text, border: text, [text]: text, boxShadow: text },
})

/** Returns a page with each of these texts in every place where an author can write text. */
export function pageWith(...texts: readonly string[]): PageSource {
  const [text = ''] = texts
  const all = texts.join(' ')
  const end = band([[{ type: 'title', text: 'The end', id: 'the-end' }]])
  return pageOf([], {
    title: all,
    description: `${all}{{FIRST_NAME}}`,
    document: {
      version: 1,
      settings: {
        language: text,
        width: text,
        backgroundColor: text,
        color: text,
        accentColor: text,
        fontFamily: text,
        icon: { src: text },
      },
      root: [...texts.map(sectionWith), end],
    },
    questions: [
      question(1, 'EMAIL', all, { required: true }),
      question(2, 'SINGLE_CHOICE', all, { options: [...texts, 'other'] }),
      question(3, 'LONG_TEXT', all),
      question(4, 'DROPDOWN', all, { options: texts }),
      question(5, 'STATEMENT', all),
      question(6, 'HIDDEN', all),
    ],
  })
}

function sectionWith(text: string): object {
  const dress = { ...styled(text), align: text, id: text, more: text }
  const elements: object[] = [
    { type: 'title', text, level: 1 },
    { type: 'title', text: `{{FIRST_NAME:${text}}} {{FIELD.${text}}}`, align: text },
    { type: 'text', text },
    { type: 'text', text: `{{FIRST_NAME:${text}}}` },
    { type: 'text', html: text },
    { type: 'text', html: `<p title="{{EMAIL}}" style="${text}">{{FIRST_NAME:${text}}}</p>` },
    { type: 'image', src: text, alt: text, href: text, width: text },
    { type: 'image', src: '/a.png', alt: `{{FIRST_NAME}}${text}`, href: `/x?y={{EMAIL}}&z=${text}` },
    { type: 'button', text, href: text, target: text, action: text },
    { type: 'button', text, href: `/x?name={{FIRST_NAME:${text}}}#{{EMAIL}}` },
    { type: 'button', text, href: `{{FIRST_NAME}}{{EMAIL:${text}}}` },
    { type: 'button', text, action: 'submit' },
    { type: 'video', src: text, poster: text, provider: 'file' },
    { type: 'video', src: text, poster: text, provider: 'youtube', autoplay: true },
    { type: 'video', src: `https://youtu.be/${text}`, provider: 'youtube', autoplay: true },
    { type: 'video', src: `https://vimeo.com/${text}`, provider: text },
    {
      type: 'form',
      fields: [
        { name: 'q1', label: text },
        { name: text, label: text },
        { name: 'q2' },
        { name: 'phone', label: text },
      ],
      buttonText: text,
      termsText: text,
      marketingConsentText: text,
      action: text,
    },
    {
      type: 'order_form',
      product: { name: text, amount: text, currency: text },
      buttonText: text,
      termsText: text,
      marketingConsentText: text,
    },
    {
      type: 'order_form',
      product: { name: text, amount: '1', currency: 'EUR' },
      buttonText: text,
      termsText: text,
      marketingConsentText: text,
    },
    { type: 'countdown', until: text, href: text },
    { type: 'countdown', minutes: 5, href: text },
    {
      type: 'list',
      items: [text, { text, href: text }, { text: `{{FIRST_NAME}}${text}`, href: `#${text}` }],
      ordered: true,
    },
    { type: 'divider', color: text, thickness: text },
    { type: 'spacer', height: text },
    { type: 'html', html: text },
    {
      type: 'html',
      html: `<a href="${text}">x</a><img src='${text}' alt=${text}><p style="color:${text}">${text}</p>`,
    },
    { type: 'html', html: `<table><tr><td title='${text}'>${text}</td></tr></table>{{FIRST_NAME}}` },
    {
      type: 'menu',
      items: [
        { text, href: text },
        { text, href: `/?a={{EMAIL}}${text}` },
      ],
    },
    { type: text, text },
  ]
  const column = { type: 'column', ...dress, children: elements.map((each) => ({ ...dress, ...each })) }
  const row = { type: 'row', ...dress, children: [column] }
  return { type: 'section', ...dress, background: { color: text, src: text }, children: [row] }
}

/** Returns a view with a text in every place where a visitor can write text. */
export function viewWith(text: string): View {
  const names = ['q1', 'q2', 'q3', 'q4', 'q6', 'phone', 'email', 'first_name', 'consent']
  return {
    values: () => text,
    answers: new Map(names.map((name) => [name, [text]])),
    faults: new Map(['', ...names].map((name) => [name, text])),
  }
}
