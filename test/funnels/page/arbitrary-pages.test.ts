import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PageDocument } from '../../../src/funnels/content/page-document.ts'
import { compilePage } from '../../../src/funnels/html/compile.ts'
import { xss } from '../../browser/xss.ts'
import { pageWith, viewWith } from './full-page.ts'
import { tagsOf } from './reading.ts'
import { nobody, shop, sourceOf, survey } from './sample.ts'

const types = [
  'title',
  'text',
  'image',
  'button',
  'video',
  'form',
  'order_form',
  'countdown',
  'list',
  'divider',
  'spacer',
]
const names = [
  'text',
  'html',
  'src',
  'href',
  'items',
  'level',
  'width',
  'height',
  'until',
  'minutes',
  'style',
  'id',
  'fields',
]
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...xss, '{{FIRST_NAME:x}}', '/a', '#b', 'https://a.example/?b={{EMAIL}}') },
  fc.jsonValue({ maxDepth: 2 }),
)
const element = fc
  .tuple(
    fc.constantFrom(...types, 'html', 'menu', 'x'),
    fc.dictionary(
      fc.oneof(fc.constantFrom(...names), fc.constantFrom('product', 'action', 'provider', 'color', 'align')),
      value,
    ),
  )
  .map(([type, rest]) => ({ ...rest, type }))

describe('any page content', () => {
  it('is rendered without anything that runs', () => {
    fc.assert(
      fc.property(
        fc.array(element, { maxLength: 5 }),
        value,
        value,
        fc.string(),
        (elements, column, settings, output) => {
          const root = [
            { type: 'section', children: [{ type: 'row', children: [{ children: elements }, column] }, column] },
            column,
          ]
          const page = compilePage({ ...sourceOf([]), document: { version: 1, settings, root } })
          harmless(page.render(nobody))
          harmless(page.render(viewWith(output)))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is rendered without scripts wherever the content contains one', () => {
    for (const text of xss) {
      const page = compilePage(pageWith(text))
      for (const html of [page.render(nobody), page.render(viewWith(text))]) {
        harmless(html)
        expect(tagsOf(html, 'h2').at(-1)?.attributes['id']).toBe('the-end')
      }
    }
  })

  it('in these tests can be stored', () => {
    for (const { document } of [shop, survey]) expect(PageDocument.safeParse(document).error).toBeUndefined()
  })
})

const allowed = new Set(
  [
    'html head meta title link style body main section div p span b h1 h2 h3 h4 h5 h6 a img video iframe form input textarea',
    'select option label fieldset legend button small nav ul ol li hr time script br strong em i u s del ins sub sup mark',
    'code kbd q cite abbr address dl dt dd details summary table caption thead tbody tfoot tr th td blockquote pre figure',
    'figcaption',
  ]
    .join(' ')
    .split(' '),
)
const addresses = new Set(['href', 'src', 'action', 'poster', 'data-over', 'data-embed'])

function harmless(html: string): void {
  const faults = tagsOf(html).flatMap(({ name, attributes }) => [
    ...(allowed.has(name) ? [] : [name]),
    ...Object.entries(attributes).flatMap(([attribute, value]) => {
      const isAddress = addresses.has(attribute)
      const runs = isAddress && !/^(?:https?:\/\/|mailto:|tel:|(?!\/\/)(?![a-z][a-z\d+.-]*:)[^\s\\]*$)/i.test(value)
      return /^on|^style$|^srcdoc$|^formaction$|[^a-z\d-]/.test(attribute) || runs
        ? [`${name} ${attribute}=${value}`]
        : []
    }),
  ])
  expect(faults).toEqual([])
  expect(tagsOf(html, 'script').length).toBeLessThanOrEqual(1)
  expect(tagsOf(html, 'style')).toHaveLength(1)
}
