import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type CompiledPage, compilePage, type View } from '../../src/funnels/html/compile.ts'
import type { PageSource } from '../../src/funnels/html/elements/model.ts'
import { pageWith, viewWith } from '../funnels/page/full-page.ts'
import { nobody, pageOf, shop, survey } from '../funnels/page/sample.ts'
import { axeFaults, desktop, isWithoutBrowser, openBrowser, phone } from './chromium.ts'
import { site, type Watched, watch } from './watched.ts'
import { xss } from './xss.ts'

const answer = (page: CompiledPage, view: View = nobody) => ({ html: page.render(view), csp: page.csp })
const created = (source: PageSource, view: View = nobody) => answer(compilePage(source), view)

describe.skipIf(isWithoutBrowser)('a funnel page in a browser', () => {
  let browser: Browser
  const opened: Watched[] = []
  const open = async (options?: Parameters<typeof watch>[1]) => {
    const watched = await watch(browser, options)
    opened.push(watched)
    return watched
  }
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())))
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })

  it('has a monitor in this test that reports scripts', async () => {
    const { show, faults } = await open()
    await show({ html: '<img src=x onerror=alert(1)><a href="javascript:alert(2)">x</a><p style="color:red">' })
    await expect.poll(faults).toEqual(expect.arrayContaining(['alert 1', 'IMG onerror', 'A href=javascript:alert(2)']))
  })

  it.each(['under its policy', 'without a policy'])(
    'runs no script of an author or a visitor, %s',
    async (how) => {
      const { page: tab, show, faults, asked } = await open()
      const isWhole = () => tab.locator('body > main > section:last-of-type #the-end').isVisible()
      const wrong: unknown[] = []
      // Several attacks share a page to save time. The end of the page must be visible, so that no attack hides another
      // one.
      for (let at = 0; at < xss.length; at += 24) {
        const texts = xss.slice(at, at + 24)
        const page = compilePage(pageWith(...texts))
        const html = page.render(viewWith(texts.join(' ')))
        await show(how === 'without a policy' ? { html } : { html, csp: page.csp })
        const found = await faults()
        if (found.length > 0 || !(await isWhole())) wrong.push([texts, found])
      }
      expect(wrong).toEqual([])
      expect(asked.filter((url) => !url.startsWith('http'))).toEqual([])
    },
    180_000,
  )

  it.each([
    ['a shop', shop, nobody],
    ['a survey', survey, nobody],
    [
      'a form that was refused',
      shop,
      {
        ...nobody,
        form: 'join',
        faults: new Map([
          ['q2', 'must be a valid e-mail address'],
          ['consent', 'is needed'],
        ]),
      },
    ],
    ['a dark page', { ...shop, document: darker(shop.document) }, nobody],
  ] as const)('is accessible: %s', async (_what, source, view) => {
    const { page, show, complaints } = await open({ viewport: phone })
    await show(created(source, view))
    expect(await axeFaults(page, 'moderate')).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    expect(complaints).toEqual([])
  })

  it('stacks columns on a phone, and shows them side by side on a wide screen', async () => {
    const places = async (viewport: typeof phone) => {
      const { page, show } = await open({ viewport })
      await show(created(shop))
      const [a, b, c] = await Promise.all(
        [0, 1, 2].map((at) => page.locator('#bowls .even-3 > .column').nth(at).boundingBox()),
      )
      return {
        isStacked: (b?.y ?? 0) > (a?.y ?? 0) && (c?.y ?? 0) > (b?.y ?? 0),
        isRow: a?.y === b?.y && b?.y === c?.y,
      }
    }
    expect(await places(phone)).toEqual({ isStacked: true, isRow: false })
    expect(await places(desktop)).toEqual({ isStacked: false, isRow: true })
  })

  it('loads nothing from a video provider before the video is started', async () => {
    const { page, show, asked, complaints } = await open()
    await show(created(pageOf([{ type: 'video', src: 'https://youtu.be/dQw4w9WgXcQ', provider: 'youtube' }])))
    await page.waitForLoadState('load')
    expect(asked.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([])
    await page.getByRole('link', { name: 'Play the video' }).click()
    await expect.poll(() => asked.filter((url) => url.includes('youtube-nocookie'))).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('counts down, and redirects when the time is over', async () => {
    const { page, show } = await open()
    await stopClock(page, '2026-06-01T10:00:00Z')
    const over = { type: 'countdown', until: '2026-06-02T12:03:04Z', href: '/late' }
    await show({ html: '<title>late</title>' }, '/late')
    await show(created(pageOf([over])))
    const left = () => page.locator('.cells b').allTextContents()
    await expect.poll(left).toEqual(['01', '02', '03', '04'])
    await page.clock.fastForward('01:02:04')
    await expect.poll(left).toEqual(['01', '01', '01', '00'])
    await page.clock.fastForward('25:01:01')
    await expect.poll(() => page.url()).toBe(`${site}/late`)
  })

  it('keeps a countdown of its own for each browser, also for later visits', async () => {
    const { page, show } = await open()
    await stopClock(page, '2026-06-01T10:00:00Z')
    const timed = created(pageOf([{ type: 'countdown', minutes: 15 }]))
    await show(timed)
    const left = () => page.locator('.cells b').allTextContents()
    await expect.poll(left).toEqual(['00', '00', '15', '00'])
    await page.clock.fastForward('05:00')
    await show(timed)
    await expect.poll(left).toEqual(['00', '00', '10', '00'])
    const other = await open()
    await stopClock(other.page, '2026-06-01T10:05:00Z')
    await other.show(timed)
    await expect.poll(() => other.page.locator('.cells b').allTextContents()).toEqual(['00', '00', '15', '00'])
  })

  it('splits a long form into steps, and submits it once', async () => {
    const { page, show } = await open()
    await show(created(survey))
    const posted = page.waitForRequest((request) => request.method() === 'POST')
    const button = (name: string) => page.getByRole('button', { name })
    expect(await button('Send it').isVisible()).toBe(false)
    await button('Continue').click()
    expect(await page.getByText('Step 1 of 3').isVisible()).toBe(true)
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByText('Coffee').click()
    await page.keyboard.press('Enter')
    await page.getByText('Step 2 of 3').waitFor()
    await page.getByText('Plates').click()
    await page.getByText('Cups').click()
    await button('Continue').click()
    await button('Back').click()
    await button('Continue').click()
    await button('Send it').click()
    expect(await page.getByText('Step 3 of 3').isVisible()).toBe(true)
    await page.getByText('You may write to me').click()
    await button('Send it').click()
    const sent = new URLSearchParams((await posted).postData() ?? '')
    expect(sent.getAll('q4').filter(Boolean)).toEqual(['Plates', 'Cups'])
    expect(Object.fromEntries(sent)).toMatchObject({ form: 'form-1', q1: 'ada@example.com', q2: 'Coffee', q7: 'true' })
  })

  it('works without JavaScript', async () => {
    const { page, show } = await open({ javaScriptEnabled: false })
    await show(created(shop))
    expect(await page.getByText('December 24, 2099').isVisible()).toBe(true)
    expect(await page.getByRole('link', { name: 'Play the video' }).getAttribute('href')).toContain('youtube.com/watch')
    await show(created(survey))
    expect(await page.getByRole('button', { name: 'Send it' }).isVisible()).toBe(true)
    expect(await page.locator('.fields > .q:visible').count()).toBe(9)
    await show(created(shop))
    const posted = page.waitForRequest((request) => request.method() === 'POST')
    await page.locator('#join').getByLabel('E-mail address').fill('ada@example.com')
    await page.locator('#join').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Send me the guide' }).click()
    const request = await posted
    expect(request.url()).toBe(`${site}/p/kiln/7/bowls`)
    expect(Object.fromEntries(new URLSearchParams(request.postData() ?? ''))).toEqual({
      form: 'join',
      q1: '',
      q2: 'ada@example.com',
      consent: 'yes',
      shown: expect.stringMatching(/^[\w-]{22}$/),
      website_url: '',
    })
  })

  it('scrolls to the invalid field after a rejected post', async () => {
    const { page, show } = await open()
    const faults = new Map([['phone', 'must be a phone number']])
    const asked = pageOf([
      { type: 'spacer', height: 3_000 },
      { type: 'form', fields: [{ name: 'phone' }] },
    ])
    await show(created(asked, { ...nobody, answers: new Map([['phone', ['x']]]), faults }))
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(500)
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    expect(await page.getByLabel('Phone').inputValue()).toBe('x')
  })
})

/** Installs a clock that advances only on request. */
async function stopClock(page: Page, at: string): Promise<void> {
  await page.clock.install({ time: new Date('2026-01-01') })
  await page.clock.pauseAt(new Date(at))
}

function darker(document: unknown): unknown {
  return { ...(document as object), settings: { backgroundColor: '#101418', accentColor: '#ffd23f' } }
}
