import type { Browser, BrowserContext, Page } from 'playwright-core'
import { desktop } from './chromium.ts'

/** A page as the server sends it. */
export interface Answer {
  readonly html: string
  readonly csp?: string
}

/** A browser that serves given HTML as pages of a site, reaches no other host, and reports scripts that run. */
export interface Watched {
  readonly page: Page
  readonly context: BrowserContext
  /** Shows a page at a path of the site. */
  show(answer: Answer, path?: string): Promise<void>
  /** Returns scripts that ran, and forbidden content: event handlers, other scripts, links that run code. */
  faults(): Promise<string[]>
  /** Returns all requests to other sites. */
  readonly asked: string[]
  /** Returns script errors and violations of the policy by our own content. */
  readonly complaints: string[]
  close(): Promise<void>
}

export const site = 'http://kiln.test'

/** Opens such a browser. The caller closes it. */
export async function watch(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: desktop, ...options })
  const page = await context.newPage()
  const [asked, complaints]: [string[], string[]] = [[], []]
  const shown = new Map<string, Answer>()
  await context.addInitScript(
    'globalThis.ran = []; for (const name of ["alert", "confirm", "prompt"]) globalThis[name] = (x) => { globalThis.ran.push(name + " " + x) }',
  )
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('net::ERR')) complaints.push(message.text())
  })
  await context.route('**/*', (route) => {
    const url = new URL(route.request().url())
    const response = url.origin === site ? shown.get(url.pathname) : undefined
    if (!response) {
      asked.push(url.href)
      return route.abort()
    }
    const headers = response.csp === undefined ? {} : { 'content-security-policy': response.csp }
    return route.fulfill({ contentType: 'text/html; charset=utf-8', body: response.html, headers })
  })
  return {
    page,
    context,
    asked,
    complaints,
    show: async (answer, path = '/') => {
      shown.set(path, answer)
      await page.goto(site + path)
    },
    faults: () => page.evaluate<string[]>(`(${inspect})()`),
    close: () => context.close(),
  }
}

/** Runs in the page and triggers events, because some attacks run only then. */
const inspect = `() => {
  const all = [...document.querySelectorAll('*')]
  for (const element of all) {
    for (const name of ['mouseover', 'mouseenter', 'pointerover', 'focus', 'error', 'load', 'toggle', 'animationstart', 'begin'])
      element.dispatchEvent(new Event(name))
  }
  const faults = [...globalThis.ran]
  const runs = /^(?!(?:https?|mailto|tel):)/
  for (const element of all) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) faults.push(element.tagName + ' ' + name)
      if (name === 'style' || name === 'srcdoc' || name === 'formaction') faults.push(element.tagName + ' ' + name)
      if (name.startsWith('data-') && element.closest('.prose')) faults.push(element.tagName + ' ' + name)
      if (/^(?:href|src|action|poster|background|xlink:href|data-over|data-embed)$/.test(name) && runs.test(new URL(value, location.href).protocol))
        faults.push(element.tagName + ' ' + name + '=' + value)
    }
    if (/^(?:OBJECT|EMBED|BASE|APPLET|SVG|MATH|TEMPLATE|MARQUEE|AUDIO)$/i.test(element.tagName)) faults.push(element.tagName)
    if (element.tagName === 'IFRAME' && !/^https:..(?:www.youtube-nocookie.com|player.vimeo.com)[/]/.test(element.src)) faults.push('IFRAME')
    if (element.tagName === 'A' && element.host !== location.host && /evil/.test(element.host)) faults.push('A ' + element.href)
  }
  if (document.querySelectorAll('script').length > 1 || document.querySelectorAll('style').length > 1) faults.push('more scripts or styles')
  return faults
}`
