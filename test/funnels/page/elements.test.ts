import { describe, expect, it } from 'vitest'
import { compilePage } from '../../../src/funnels/html/compile.ts'
import { tagsOf } from './reading.ts'
import { band, nobody, pageOf, question, shop, sourceOf } from './sample.ts'

const renderElements = (...args: Parameters<typeof pageOf>) => compilePage(pageOf(...args)).render(nobody)
/** Returns the HTML in the only column. */
const inColumn = (...elements: object[]) =>
  /<div class="column">(.*)<\/div><\/div><\/div><\/section>/s.exec(renderElements(elements))?.[1] ?? ''

describe('an element', () => {
  it.each([
    [
      'a heading',
      { type: 'title', text: 'A <b>\nB', level: 3, align: 'center' },
      '<h3 class="title to-center">A &#60;b&#62;<br>B</h3>',
    ],
    ['a heading of the usual size', { type: 'title', text: 'A' }, '<h2 class="title">A</h2>'],
    ['paragraphs', { type: 'text', text: 'a\nb\n\n \nc' }, '<div class="prose"><p>a<br>b</p><p>c</p></div>'],
    [
      'rich text',
      { type: 'text', text: 'no', html: '<p>x<script>y</script></p>' },
      '<div class="prose"><p>x</p></div>',
    ],
    [
      'a button that leads on',
      { type: 'button', text: 'Go' },
      '<p class="action"><a href="/p/kiln/7/thanks" class="q-button large">Go</a></p>',
    ],
    [
      'a button with a link of its own',
      { type: 'button', text: 'Go', href: 'https://a.example/?b=1&c', target: '_blank' },
      '<p class="action"><a href="https://a.example/?b=1&#38;c" target="_blank" rel="noopener" class="q-button large">Go</a></p>',
    ],
    [
      'a list',
      { type: 'list', items: ['a', { text: 'b', href: '/b' }, { text: '' }, 7] },
      '<ul class="prose"><li>a</li><li><a href="/b">b</a></li></ul>',
    ],
    ['a numbered list', { type: 'list', items: ['a'], ordered: true }, '<ol class="prose"><li>a</li></ol>'],
    ['a line', { type: 'divider' }, '<hr class="divider">'],
    [
      'a menu',
      { type: 'menu', items: [{ text: 'A', href: '#a' }] },
      '<nav aria-label="Menu" class="menu"><ul><li><a href="#a">A</a></li></ul></nav>',
    ],
    ['HTML', { type: 'html', html: '<em onclick="x()">x</em>' }, '<div class="prose"><em>x</em></div>'],
  ])('is rendered as %s', (_what, element, html) => expect(inColumn(element)).toBe(html))

  it('can be linked to by its ID; of duplicates the first one counts', () => {
    const html = inColumn(
      { type: 'title', text: 'A', id: 'x' },
      { type: 'title', text: 'B', id: 'x' },
      { type: 'divider', id: '"' },
    )
    expect(html).toBe('<h2 id="x" class="title">A</h2><h2 class="title">B</h2><hr class="divider">')
  })

  it('is omitted with its children if it is hidden', () => {
    const hidden = [{ type: 'title', text: 'gone', hidden: true }]
    const root = [band([hidden]), band([[{ type: 'title', text: 'gone' }]], { hidden: true })]
    expect(compilePage(sourceOf(root)).render(nobody)).not.toContain('gone')
  })

  it.each([
    ['of no known type', { type: 'marquee', text: 'x' }],
    ['of a type that objects have anyway', { type: 'constructor', text: 'x' }],
    ['that is no object', 7],
    ['without text', { type: 'title', text: ' ' }],
    ['with a number as its text', { type: 'title', text: 7 }],
    ['a picture without a place', { type: 'image', src: '' }],
    ['a picture from a place that runs', { type: 'image', src: 'data:image/svg+xml,x' }],
    ['a film from another host', { type: 'video', src: '//evil.example/x' }],
    ['a countdown to nothing', { type: 'countdown', until: 'soon' }],
    ['something to buy without a price', { type: 'order_form', product: { name: 'x' } }],
    ['a menu that leads nowhere', { type: 'menu', items: [{ text: 'x', href: 'javascript:x' }] }],
    ['a list without items', { type: 'list', items: {} }],
  ])('is omitted if it cannot be rendered: %s', (_what, element) => {
    expect(inColumn(element as object, { type: 'divider' })).toBe('<hr class="divider">')
  })

  it('links to nothing on the last step unless it has a link', () => {
    const html = renderElements(
      [
        { type: 'button', text: 'Next' },
        { type: 'button', text: 'Home', href: '/' },
      ],
      { nextUrl: null },
    )
    expect(tagsOf(html, 'a').map(({ text }) => text)).toEqual(['Home'])
  })

  it('submits the form of the page, even if it is placed before the form', () => {
    const html = renderElements([
      { type: 'button', text: 'Send', action: 'submit' },
      { type: 'form', id: 'join' },
    ])
    expect(tagsOf(html, 'button')[0]?.attributes).toMatchObject({ type: 'submit', form: 'join' })
  })

  it('has a text alternative for pictures and for links around them', () => {
    const html = renderElements([
      { type: 'image', src: '/a.png', alt: 'A "bowl"', width: 640 },
      { type: 'image', src: '/b.png', href: '/b' },
    ])
    const [first, second] = tagsOf(html, 'img').map(({ attributes }) => attributes)
    expect(first).toMatchObject({ src: '/a.png', alt: 'A "bowl"', width: '640', fetchpriority: 'high' })
    expect(second).toMatchObject({ alt: '', loading: 'lazy' })
    expect(tagsOf(html, 'a')[0]?.attributes).toMatchObject({ href: '/b', 'aria-label': '/b' })
  })
})

describe('a video', () => {
  const renderVideo = (src: string, provider?: string) => {
    const page = compilePage(pageOf([{ type: 'video', src, provider }]))
    const [link] = tagsOf(page.render(nobody), 'a')
    return { player: link?.attributes['data-embed'], href: link?.attributes['href'], csp: page.csp }
  }
  it.each([
    'https://youtu.be/dQw4w9WgXcQ',
    'https://youtu.be/dQw4w9WgXcQ?t=3',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=x',
    'https://m.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://www.youtube.com/embed/dQw4w9WgXcQ',
    'https://youtube.com/shorts/dQw4w9WgXcQ?feature=x',
    'http://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
  ])('of YouTube is recognised from %s', (src) => {
    const { player, csp } = renderVideo(src, 'youtube')
    expect(player).toMatch(/^https:\/\/www\.youtube-nocookie\.com\/embed\/dQw4w9WgXcQ\?/)
    expect(csp).toContain('frame-src https://www.youtube-nocookie.com;')
  })

  it.each([
    ['https://vimeo.com/76979871', '76979871?autoplay'],
    ['https://player.vimeo.com/video/76979871', '76979871?autoplay'],
    ['https://vimeo.com/76979871/abcdef1234', '76979871?h=abcdef1234&autoplay'],
    ['https://player.vimeo.com/video/76979871?h=abcdef1234', '76979871?h=abcdef1234&autoplay'],
  ])('of Vimeo is recognised from %s', (src, part) => {
    const { player, csp } = renderVideo(src, 'vimeo')
    expect(player).toContain(`https://player.vimeo.com/video/${part}`)
    expect(csp).toContain('frame-src https://player.vimeo.com;')
  })

  it.each([
    ['https://youtu.be/dQw4w9WgXcQ?t=90', 90],
    ['https://youtu.be/dQw4w9WgXcQ?si=abc&t=90s', 90],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1m30s', 90],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&time_continue=90', 90],
    ['https://www.youtube.com/embed/dQw4w9WgXcQ?start=90', 90],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ#t=1h1m1s', 3661],
    ['youtu.be/dQw4w9WgXcQ?t=1:30', 90],
    ['//www.youtube.com/watch?v=dQw4w9WgXcQ&t=90', 90],
    ['www.youtube.com/watch?v=dQw4w9WgXcQ', 0],
    ['https://youtu.be/dQw4w9WgXcQ?t=soon', 0],
    ['https://youtu.be/dQw4w9WgXcQ?t=', 0],
  ])('of YouTube starts where its URL says: %s', (src, start) => {
    const { player, href } = renderVideo(src, 'youtube')
    expect(new URL(player ?? '').searchParams.get('start')).toBe(start === 0 ? null : String(start))
    expect(href).toBe(`https://www.youtube.com/watch?v=dQw4w9WgXcQ${start === 0 ? '' : `&t=${start}s`}`)
  })

  it.each([
    ['https://vimeo.com/76979871#t=1m30s', '#t=90s'],
    ['https://vimeo.com/76979871/abcdef1234#t=90', '#t=90s'],
    ['vimeo.com/76979871?t=90', '#t=90s'],
    ['https://player.vimeo.com/video/76979871#t=0m5s', '#t=5s'],
    ['//vimeo.com/76979871', ''],
  ])('of Vimeo starts where its URL says: %s', (src, start) => {
    const { player, href } = renderVideo(src, 'vimeo')
    expect([new URL(player ?? '').hash, new URL(href ?? '').hash]).toEqual([start, start])
  })

  it.each([
    ['https://youtu.be/x', 'youtube'],
    ['https://youtu.be/dQw4w9WgXcQ"x', 'youtube'],
    ['https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ', 'youtube'],
    ['https://evil.example/?youtube.com/watch?v=dQw4w9WgXcQ', 'youtube'],
    ['https://vimeo.com/../x', 'vimeo'],
    ['https://vimeo.com/76979871', 'youtube'],
    ['https://a.example/x', 'dailymotion'],
  ])('is rendered as a link if its URL contains no ID: %s of %s', (src, provider) => {
    const { player, href, csp } = renderVideo(src, provider)
    expect(player).toBeUndefined()
    expect(href).toBe(src)
    expect(csp).not.toContain('frame-src')
  })

  it('of a file is played by the browser', () => {
    const html = renderElements([{ type: 'video', src: '/d/film.mp4', poster: '/d/p.jpg', autoplay: true }])
    const [film] = tagsOf(html, 'video')
    expect(film?.attributes).toMatchObject({
      src: '/d/film.mp4',
      poster: '/d/p.jpg',
      controls: '',
      'data-autoplay': '',
    })
  })
})

describe('a page', () => {
  const headOf = (source: typeof shop) => compilePage(source).render(nobody)

  it('has a language, a title, a description and a viewport', () => {
    const html = headOf({
      ...shop,
      title: 'A & B',
      description: 'x "y"',
      document: { settings: { language: 'pt-br' } },
    })
    expect(html).toMatch(/^<!doctype html>\n<html lang="pt-BR" dir="ltr">/)
    expect(tagsOf(html, 'title')[0]?.text).toBe('A & B')
    const named = Object.fromEntries(tagsOf(html, 'meta').map(({ attributes: { name, content } }) => [name, content]))
    expect(named).toMatchObject({ description: 'x "y"', viewport: 'width=device-width, initial-scale=1' })
  })

  it.each([
    ['ar', 'ar', 'rtl'],
    ['not a language', 'en', 'ltr'],
    [undefined, 'en', 'ltr'],
  ])('in the language %s has lang=%s and dir=%s', (language, lang, dir) => {
    expect(headOf({ ...shop, document: { settings: { language } } })).toContain(`<html lang="${lang}" dir="${dir}">`)
  })

  it('has one main heading: that of its author, or its title', () => {
    const headings = (...elements: object[]) => tagsOf(renderElements(elements), 'h1').map(({ text }) => text)
    expect(headings({ type: 'title', text: 'A', level: 1 })).toEqual(['A'])
    expect(headings({ type: 'html', html: '<h1>B</h1>' })).toEqual(['B'])
    expect(headings({ type: 'title', text: 'C' })).toEqual(['Kiln & Clay'])
  })

  it('is empty if the stored content is invalid', () => {
    for (const document of [null, undefined, 7, 'x', [], { root: 7 }, { root: [null, 7, { children: 'x' }] }]) {
      const page = compilePage({ ...shop, document })
      expect(tagsOf(page.render(nobody), 'main')[0]?.text.trim()).toBe('Kiln & Clay')
      expect(page.isPersonal).toBe(false)
    }
  })

  it('is marked as personal if it may differ between visitors', () => {
    const isPersonal = (...args: Parameters<typeof pageOf>) => compilePage(pageOf(...args)).isPersonal
    expect(isPersonal([{ type: 'title', text: 'x' }])).toBe(false)
    expect(isPersonal([{ type: 'title', text: '{{YEAR}}' }])).toBe(true)
    expect(isPersonal([], { title: '{{FIRST_NAME}}' })).toBe(true)
    expect(isPersonal([{ type: 'form' }])).toBe(true)
    expect(isPersonal([{ type: 'button', text: 'x', href: '/?{{EMAIL}}' }])).toBe(true)
  })

  it('contains no script unless an element needs one', () => {
    const script = (...elements: object[]) => {
      const page = compilePage(pageOf(elements))
      return [tagsOf(page.render(nobody), 'script').length, /script-src ([^;]*)/.exec(page.csp)?.[1]]
    }
    expect(script({ type: 'form' })).toEqual([0, "'none'"])
    expect(script({ type: 'countdown', minutes: 1 })).toEqual([1, expect.stringMatching(/^'sha256-[\w+/]{43}='$/)])
    const questions = Array.from({ length: 6 }, (_, index) => question(index + 1, 'SHORT_TEXT', 'x'))
    expect(tagsOf(renderElements([{ type: 'form' }], { questions }), 'script')).toHaveLength(1)
  })

  it('allows only what it needs in its Content-Security-Policy', () => {
    const { csp } = compilePage(pageOf([{ type: 'form', action: 'https://shop.example/thanks?x' }]))
    const rules = new Map(csp.split('; ').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]))
    expect(Object.fromEntries(rules)).toEqual({
      'default-src': "'none'",
      'img-src': 'http: https:',
      'media-src': 'http: https:',
      'style-src': expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
      'script-src': "'none'",
      'form-action': "'self' https://shop.example",
      'base-uri': "'none'",
      'frame-ancestors': "'self'",
    })
  })

  it('divides a row into twelfths, or evenly', () => {
    const row = (...widths: (number | undefined)[]) => {
      const columns = widths.map((width) => ({ type: 'column', width, children: [{ type: 'divider' }] }))
      const root = [{ type: 'section', children: [{ type: 'row', children: columns }] }]
      const html = compilePage(sourceOf(root)).render(nobody)
      return tagsOf(html, 'div')
        .map(({ attributes }) => attributes['class'])
        .filter((name) => name?.match(/^row|^column/))
    }
    expect(row(undefined, undefined)).toEqual(['row even-2', 'column', 'column'])
    expect(row(8, undefined)).toEqual(['row twelve', 'column of-8', 'column of-4'])
    expect(row(99, 3)).toEqual(['row twelve', 'column of-9', 'column of-3'])
  })
})
