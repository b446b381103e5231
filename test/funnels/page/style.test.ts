import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { colorOf, contrast } from '../../../src/content/blocks/color.ts'
import { compilePage } from '../../../src/funnels/html/compile.ts'
import { xss } from '../../browser/xss.ts'
import { tagsOf } from './reading.ts'
import { band, nobody, pageOf, sourceOf } from './sample.ts'

/** Returns the declarations of an element's style in the style block of the page. */
function renderStyle(style: unknown): string | undefined {
  return classOf(compilePage(pageOf([{ type: 'divider', style }])).render(nobody), 'hr')
}

function classOf(html: string, name: string): string | undefined {
  const own = tagsOf(html, name)[0]
    ?.attributes['class']?.split(' ')
    .find((each) => /^s\d+$/.test(each))
  return new RegExp(`^\\.${own}\\{(.*)\\}$`, 'm').exec(styleOf(html))?.[1]
}

function styleOf(html: string): string {
  return tagsOf(html, 'style')[0]?.text ?? ''
}

const refused: [unknown][] = [
  [{ position: 'fixed' }],
  [{ content: 'x' }],
  [{ behavior: 'x' }],
  [{ '--c-text': 'red' }],
  [{ 'background-image': 'red' }],
  [{ constructor: 'red' }],
  [{ color: 'url(https://evil.example)' }],
  [{ backgroundImage: 'url(x)' }],
  [{ background: 'image-set(x 1x)' }],
  [{ background: 'u\\72l(x)' }],
  [{ background: 'URL(x)' }],
  [{ width: 'expression(1)' }],
  [{ color: 'red;position:fixed' }],
  [{ color: 'red}*{color:blue' }],
  [{ color: 'red/*' }],
  [{ color: 'rgb(0,0,0' }],
  [{ color: 'red)' }],
  [{ color: '"x"' }],
  [{ color: '@import' }],
  [{ color: 'red !important' }],
  [{ color: 'x'.repeat(201) }],
  [{ color: ['red'] }],
  [{ color: { toString: 'red' } }],
  [{ width: Number.MAX_VALUE }],
  [{ fontFamily: 'x;}*{color:red' }],
  [{ fontFamily: '</style>' }],
  ['color:red'],
  [['red']],
]

describe('the style of an element', () => {
  it.each([
    [{ color: '#fff', backgroundColor: 'rgb(0 0 0 / 50%)' }, 'color:#fff;background-color:rgb(0 0 0 / 50%)'],
    [
      { marginTop: 12, lineHeight: 1.5, padding: '1rem 2rem', opacity: 0 },
      'margin-top:12px;line-height:1.5;padding:1rem 2rem;opacity:0',
    ],
    [{ fontFamily: '"Open Sans", Georgia, serif' }, "font-family:'Open Sans', 'Georgia', serif"],
    [
      { background: 'linear-gradient(90deg, #fff, rgba(0,0,0,.5) 50%)' },
      'background:linear-gradient(90deg, #fff, rgba(0,0,0,.5) 50%)',
    ],
    [
      { width: 'calc(100% - 2rem)', boxShadow: '0 1px 2px #0003' },
      'width:calc(100% - 2rem);box-shadow:0 1px 2px #0003',
    ],
  ])('%j is rendered as %s', (style, css) => expect(renderStyle(style)).toBe(css))

  it.each(refused)('%j is omitted', (style) => expect(renderStyle(style)).toBeUndefined())

  it('in rich text is rendered as a class, and nothing else of it is kept', () => {
    const html = compilePage(
      pageOf([
        {
          type: 'html',
          html: '<p style="text-align:center; COLOR:red; position:fixed;background:url(x)" class="film" id="x">a</p>',
        },
      ]),
    ).render(nobody)
    expect(tagsOf(html, 'p')[0]?.attributes).toEqual({ class: expect.stringMatching(/^s\d+$/) })
    expect(classOf(html, 'p')).toBe('text-align:center')
  })

  it('is one class for all elements with the same style', () => {
    const style = { color: 'red' }
    const html = compilePage(
      pageOf([
        { type: 'divider', style },
        { type: 'divider', style },
      ]),
    ).render(nobody)
    expect(styleOf(html).split('{color:red}')).toHaveLength(2)
  })

  it('cannot end its rule: any value results in the same rules', () => {
    const rules = (text: string) => {
      const style = { color: text, fontFamily: text, boxShadow: text, width: text, [text]: text }
      const settings = { backgroundColor: text, color: text, accentColor: text, fontFamily: text }
      const source = sourceOf(
        [band([[{ type: 'divider', style, color: text }]], { background: { color: text } })],
        {},
        settings,
      )
      const css = styleOf(compilePage(source).render(nobody))
      const [, own = ''] = css.split('@media (forced-colors: active)')
      return own
    }
    const sheet =
      /^ \{ \.q-choice:has\(:checked\) \{ outline: 3px solid Highlight; \} \}\s*\n(?:\.s\d+\{[^{}<>@\\]*\}\n?)*$/
    for (const text of xss) expect(rules(text)).toMatch(sheet)
    const signs = fc.string({ unit: fc.constantFrom(...'{}();:/*\\"\'<>@!,# ', 'url', 'a', '1', 'rgb(', '-->') })
    fc.assert(fc.property(fc.oneof(fc.string(), signs), (text) => void expect(rules(text)).toMatch(sheet)))
  })
})

describe('the colours of a page', () => {
  const tones = (settings: object) => {
    const css = classOf(compilePage(pageOf([], {}, settings)).render(nobody), 'body') ?? ''
    return new Map(css.split(';').map((each) => each.split(':') as [string, string]))
  }
  const color = (all: Map<string, string>, name: string) => colorOf(all.get(name) ?? '') ?? [0, 0, 0]

  it('have enough contrast with any background and accent', () => {
    const any = fc
      .tuple(...Array.from({ length: 3 }, () => fc.integer({ min: 0, max: 255 })))
      .map((parts) => `rgb(${parts})`)
    fc.assert(
      fc.property(any, any, (backgroundColor, accentColor) => {
        const all = tones({ backgroundColor, accentColor })
        const back = color(all, '--c-back')
        // On some backgrounds neither black nor white has a higher contrast than this.
        for (const name of ['--c-text', '--c-muted', '--c-link', '--c-fault']) {
          expect(contrast(color(all, name), back)).toBeGreaterThanOrEqual(4.2)
        }
        expect(contrast(color(all, '--c-on-accent'), color(all, '--c-accent'))).toBeGreaterThanOrEqual(4.2)
      }),
    )
  })

  it('are those of the author if they are valid', () => {
    const all = tones({ backgroundColor: 'Beige', color: '#123456', fontFamily: 'Georgia', width: 900 })
    expect(all.get('background-color')).toBe('Beige')
    expect(all.get('--c-text')).toBe('#123456')
    expect(all.get('--font')).toBe("'Georgia'")
    expect(all.get('--width')).toBe('900px')
  })
})
