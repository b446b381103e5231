import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePage } from '../../../src/funnels/html/compile.ts'
import { tagsOf } from './reading.ts'
import { pageOf } from './sample.ts'

const values: Record<string, string> = {
  FIRST_NAME: 'Ada <Lovelace>',
  EMAIL: 'ada+1@example.com',
  'FIELD.Q & A': 'yes',
  CITY: '{{EMAIL}}',
}
const view = { values: (name: string) => values[name] ?? '' }
const renderTitle = (text: string, to = view) =>
  tagsOf(compilePage(pageOf([{ type: 'title', text }])).render(to), 'h2')[0]?.text
const linkOf = (href: string, to = view) =>
  tagsOf(compilePage(pageOf([{ type: 'button', text: 'Go', href }], { nextUrl: null })).render(to), 'a')[0]?.attributes[
    'href'
  ]

describe('a merge field on a page', () => {
  it.each([
    ['Hello {{FIRST_NAME}}!', 'Hello Ada <Lovelace>!'],
    ['Hello {{ first_name : friend }}!', 'Hello Ada <Lovelace>!'],
    ['Hello {{LAST_NAME:friend & co}}!', 'Hello friend & co!'],
    ['Hello {{LAST_NAME}}!', 'Hello !'],
    ['{{CITY}}', '{{EMAIL}}'],
    ['{{FIELD.Q & A}}', 'yes'],
    ['{{LAST_NAME:<b>}}{ {EMAIL}}', '<b>{ {EMAIL}}'],
  ])('in %s is rendered as %s', (text, expected) => expect(renderTitle(text)).toBe(expected))

  it('is replaced in every text of an author', () => {
    const field = 'for {{FIRST_NAME}}'
    const html = compilePage(
      pageOf(
        [
          { type: 'text', text: field },
          { type: 'text', html: `<p title="${field}">${field} {{FIELD.Q &amp; A}}</p>` },
          { type: 'html', html: `<b>${field}</b>` },
          { type: 'button', text: field },
          { type: 'list', items: [field, { text: field, href: '/x' }] },
          { type: 'image', src: '/a.png', alt: field },
          { type: 'form', buttonText: field },
          { type: 'menu', items: [{ text: field, href: '/x' }] },
        ],
        { title: field, description: field },
      ),
    ).render(view)
    expect(html).not.toContain('{{')
    expect(html.split('for Ada &#60;Lovelace&#62;')).toHaveLength(15)
    expect(html).toContain('for Ada &#60;Lovelace&#62; yes</p>')
  })

  it.each([
    ['/x?to={{EMAIL}}', '/x?to=ada%2B1%40example.com'],
    [
      '/x?to={{EMAIL}}&who={{LAST_NAME:you}}#{{FIRST_NAME}}',
      '/x?to=ada%2B1%40example.com&who=you#Ada%20%3CLovelace%3E',
    ],
    ['/{{FIRST_NAME:you}}/x?y={{CITY}}', '/you/x?y=%7B%7BEMAIL%7D%7D'],
    ['{{LAST_NAME:https://a.example/}}', 'https://a.example/'],
    ['{{EMAIL:/x?}}{{EMAIL}}', '/x?'],
    ['https://{{CITY:a}}.example/?{{CITY:a}}', 'https://a.example/?%7B%7BEMAIL%7D%7D'],
  ])('in the link %s is rendered as %s: after its question mark, and as one part', (href, expected) => {
    expect(linkOf(href)).toBe(expected)
  })

  it.each([
    'java{{X}}script:alert(1)',
    '{{X:javascript}}:alert(1)',
    '{{X:javascript:alert(1)}}',
    '/{{X}}/evil.example',
    '{{X:/}}/evil.example',
    'data{{X}}:text/html,x',
  ])('in %s creates no link', (href) => expect(linkOf(href)).toBeUndefined())

  it('in a link of rich text is replaced in the same way', () => {
    const html =
      '<a href="/{{X:y}}?e={{EMAIL:n}}&amp;a=&quot;">x</a><a href="java{{X}}script:x">y</a><img src="{{X:javascript:x}}">'
    const tags = tagsOf(compilePage(pageOf([{ type: 'html', html }])).render(view), 'a', 'img')
    expect(tags.map(({ attributes: { href, src } }) => href ?? src)).toEqual([
      '/y?e=ada%2B1%40example.com&a="',
      undefined,
      undefined,
    ])
  })

  it('cannot span tags or quotes of rich text', () => {
    const html = '<p title="{{X:">a</p><p title="}}">b{{X:</p><p>c}}</p>'
    const page = compilePage(pageOf([{ type: 'html', html }]))
    const paragraphs = (value: string) => tagsOf(page.render({ values: () => value }), 'p')
    expect(paragraphs('v')).toEqual(paragraphs(''))
    expect(paragraphs('v').map(({ text }) => text)).toEqual(['a', 'b{{X:', 'c}}'])
  })

  it('is escaped: no value changes the rest of the page', () => {
    const page = compilePage(
      pageOf([
        { type: 'title', text: '{{FIRST_NAME:x}}' },
        { type: 'html', html: '<p title="{{FIRST_NAME}}">{{FIRST_NAME}}</p><a href="?{{FIRST_NAME}}">x</a>' },
        { type: 'image', src: '/x', alt: '{{FIRST_NAME}}', href: '/?{{FIRST_NAME}}' },
      ]),
    )
    const shape = (value: string) =>
      tagsOf(page.render({ values: () => value })).map(({ name, attributes }) => [name, Object.keys(attributes)])
    const usual = shape('x')
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'<>"\'`&={}/\\ \n\ud800') })), (value) => {
        expect(shape(value)).toEqual(usual)
        expect(titledBy(value)).toBe(value.replace(/\r\n?/g, '\n') || 'x')
      }),
    )
    function titledBy(value: string) {
      return tagsOf(page.render({ values: () => value }), 'h2')[0]?.text.replace(/\r\n?/g, '\n')
    }
  })
})
