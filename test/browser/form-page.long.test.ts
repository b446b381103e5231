import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newBrowser } from '../forms/http-browser.ts'
import { newServer } from '../support/server.ts'
import { type NamedForm, newWorld, type World } from '../support/world.ts'
import { axeFaults, desktop, isWithoutBrowser, openBrowser, phone } from './chromium.ts'
import { watch } from './watched.ts'
import { xss } from './xss.ts'

const plan = {
  name: 'Find your plan',
  questions: [
    { label: 'Welcome!', type: 'STATEMENT' },
    { label: 'Do you run a business?', type: 'YES_NO', required: true, points: [{ answer: 'yes', points: '1' }] },
    { label: 'Your biggest challenge?', type: 'SINGLE_CHOICE', options: ['Clients', 'Prices', 'Time'] },
    { label: 'Which tools?', type: 'MULTIPLE_CHOICE', options: ['Mail', 'Ads', 'Shop'] },
    { label: 'How satisfied?', type: 'RATING' },
    { label: 'Would you recommend us?', type: 'OPINION_SCALE' },
    { label: 'Your country?', type: 'DROPDOWN', options: ['France', 'Spain'] },
    { label: 'Your name?', type: 'SHORT_TEXT' },
    { label: 'Tell us more', type: 'LONG_TEXT' },
    { label: 'Your e-mail?', type: 'EMAIL', required: true },
    { label: 'Your site?', type: 'URL' },
    { label: 'How many people?', type: 'NUMBER' },
    { label: 'Since when?', type: 'DATE' },
    { label: 'Your phone?', type: 'PHONE' },
    { label: 'I agree to get e-mail.', type: 'CONSENT', required: true },
  ],
  outcomes: [{ key: 'go', title: 'Go ahead', text: 'One.\n\nTwo.', bucket: 'WARM' }],
}

describe.skipIf(isWithoutBrowser)('the page of a form in a browser', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newWorld()])
  })
  afterAll(() => browser?.close())

  const url = (form: NamedForm) => `${world.server.url}/f/${form.databaseId}`
  const submissionsOf = (form: NamedForm) =>
    world.rows<{ status: string; answers: string[] }>(
      `SELECT s.status, array(SELECT array_to_string(a.values, '+') FROM answer a
         WHERE a.account_id = s.account_id AND a.submission_id = s.id ORDER BY a.question_id) AS answers
       FROM submission s WHERE s.account_id = $1 AND s.form_id = $2`,
      [world.accountId, form.databaseId],
    )
  const answers = [
    'yes',
    'Prices',
    'Mail+Shop',
    '4',
    '10',
    'Spain',
    'Ada',
    'a\nb',
    'ada@example.com',
    'https://a.example',
  ]
  const all = [...answers, '12', '2026-06-01', '+33 1 23 45 67 89', 'true']

  it('can be completed with the keyboard only, and axe reports no violation', async () => {
    const form = await world.form(plan)
    const page = await browser.newPage({ viewport: desktop })
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(url(form))
    const keys: (readonly string[] | string)[] = [
      ['Enter'],
      ['y', 'Enter'],
      ['b', 'Enter'],
      ['a', 'c', 'Enter'],
      ['4', 'Enter'],
      ['1', '0', 'Enter'],
      ['S', 'Tab', 'Enter'],
      'Ada',
      ['a', 'Enter', 'b', 'Control+Enter'],
      'ada@example.com',
      'https://a.example',
      '12',
      ['0', '6', '0', '1', '2', '0', '2', '6', 'Enter'],
      '+33 1 23 45 67 89',
      ['Space', 'Enter'],
    ]
    for (const [place, each] of keys.entries()) {
      await page.getByText(`${place + 1} of ${keys.length}`).waitFor()
      expect(await axeFaults(page, 'moderate')).toEqual([])
      if (typeof each === 'string') await page.keyboard.type(each)
      for (const key of typeof each === 'string' ? ['Enter'] : each) await page.keyboard.press(key)
    }
    await page.getByRole('heading', { name: 'Go ahead' }).waitFor()
    expect(await axeFaults(page, 'moderate')).toEqual([])
    expect(await submissionsOf(form)).toEqual([{ status: 'COMPLETED', answers: all }])
    await page.getByRole('button', { name: 'Fill it in again' }).click()
    await page.getByText('1 of 15').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  it('can be completed by touch on a phone, without JavaScript', async () => {
    const form = await world.form(plan)
    const context = await browser.newContext({
      viewport: phone,
      isMobile: true,
      hasTouch: true,
      javaScriptEnabled: false,
    })
    const page = await context.newPage()
    await page.goto(url(form))
    const next = () => page.locator('.go button').tap()
    await next()
    await next()
    await page.getByText('Please answer this.').waitFor()
    await page.getByText('Yes', { exact: true }).tap()
    await next()
    await page.getByRole('link', { name: 'Back' }).tap()
    expect(await page.getByLabel('Yes', { exact: true }).isChecked()).toBe(true)
    await next()
    for (const option of ['Prices', 'Mail']) {
      await page.getByText(option).tap()
      if (option === 'Mail') await page.getByText('Shop').tap()
      await next()
    }
    await page.locator('.q-choice').nth(3).tap()
    await next()
    await page.locator('.q-choice').nth(10).tap()
    await next()
    await page.getByLabel('Your country?').selectOption('Spain')
    await next()
    for (const text of [...answers.slice(6), ...all.slice(10, 13)]) {
      await page.locator('.q-input').fill(text)
      await next()
    }
    await page.getByLabel('I agree').tap()
    const wide = await page.locator('html').boundingBox()
    expect(wide?.width).toBeLessThanOrEqual(phone.width)
    await page.getByRole('button', { name: 'Submit' }).tap()
    await page.getByRole('heading', { name: 'Go ahead' }).waitFor()
    expect(await submissionsOf(form)).toEqual([{ status: 'COMPLETED', answers: all }])
    await context.close()
  })

  it.each(['ar', 'de'])('is as wide as a phone in the language %s, and is not scrolled sideways', async (language) => {
    const form = await world.form({ ...plan, language })
    const page = await browser.newPage({ viewport: phone })
    for (const question of form.questions) {
      await page.goto(`${url(form)}?q=${question.databaseId}`)
      expect(await page.evaluate('document.documentElement.scrollWidth'), question.id).toBe(phone.width)
    }
    await page.close()
  })

  it('submits once, even if the button is pressed several times', async () => {
    const form = await world.form({ questions: [{ label: 'Name?', type: 'SHORT_TEXT' }] })
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(url(form))
      await page.getByLabel('Name?').fill(`with script: ${javaScriptEnabled}`)
      await page.getByRole('button', { name: 'Submit' }).dblclick()
      await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
      await context.close()
    }
    expect(await submissionsOf(form)).toHaveLength(2)
  })

  it('is sent with one click while the form is flooded, and with a second one without JavaScript', async () => {
    const form = await world.form({ questions: [{ label: 'Your e-mail?', type: 'EMAIL' }] })
    const env = { DATABASE_URL: world.server.databaseUrl, PUBLIC_FLOOD_PER_FORM: '1' }
    const flooded = await newServer(env)
    const id = form.questions[0]?.databaseId as number
    await newBrowser(flooded).send(`/f/${form.databaseId}`, { answers: { [id]: 'first@example.com' } })
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      const violations: string[] = []
      page.on('console', (message) => message.text().includes('Security Policy') && violations.push(message.text()))
      await page.goto(`${flooded.url}/f/${form.databaseId}`)
      await page.getByLabel('Your e-mail?').fill(`${javaScriptEnabled}@example.com`)
      await page.getByRole('button', { name: 'Submit' }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answers' }).click()
      await page.getByRole('heading', { name: 'Thank you!' }).waitFor()
      expect(violations).toEqual([])
      await context.close()
    }
    expect((await submissionsOf(form)).map(({ answers: [email] }) => email)).toEqual([
      'first@example.com',
      'true@example.com',
      'false@example.com',
    ])
  })

  it('runs no script of its author or of a visitor, even without its Content-Security-Policy', async () => {
    const storable = xss.filter((each) => each.trim() !== '' && !each.includes('\0') && !each.includes('\u001f'))
    const options = [...new Set(storable.map((each) => each.trim()).filter((each) => [...each].length <= 255))]
    const atOnce = 30
    const labels: string[] = []
    for (const each of storable) {
      const last = labels.at(-1)
      if (last !== undefined && last.length + each.length < 999) labels[labels.length - 1] = `${last} ${each}`
      else labels.push(each)
    }
    const form = await world.form({
      name: '</title></style></script><script>alert(1)</script>"><img src=x onerror=alert(1)>',
      questions: [
        ...labels.map((label) => ({ label, type: 'STATEMENT' })),
        { label: 'Several', type: 'MULTIPLE_CHOICE', options },
        { label: 'One', type: 'DROPDOWN', options },
        { label: 'Words', type: 'LONG_TEXT' },
        ...labels.map((label) => ({ label, type: 'CONSENT' })),
        ...Array.from({ length: atOnce }, (_, place) => ({ label: `hidden ${place}`, type: 'HIDDEN' })),
      ],
      outcomes: [{ key: 'x', title: options[0], text: storable.join('\n\n'), bucket: 'COLD' }],
    })
    const visitor = newBrowser(world.server)
    const pages: string[] = []
    const csp = (await visitor.open(`/f/${form.databaseId}`)).headers.get('content-security-policy') ?? ''
    const q = (index: number) => form.questions[index]?.databaseId as number
    for (const [index] of form.questions.slice(0, -atOnce).entries()) {
      pages.push((await visitor.open(`/f/${form.databaseId}?q=${q(index)}`)).text)
    }
    const words = labels.length + 2
    const posted = { [q(words - 2)]: options, [q(words - 1)]: options.at(-1), [q(words)]: storable.join('\n') }
    const sent = { answers: posted, client_submission_id: xss[0], complete: false }
    expect((await visitor.send(`/f/${form.databaseId}`, sent)).status).toBe(200)
    for (let index = words - 2; index <= words; index += 1) {
      pages.push((await visitor.open(`/f/${form.databaseId}?q=${q(index)}`)).text)
    }
    for (let from = 0; from < storable.length; from += atOnce) {
      const part = storable.slice(from, from + atOnce)
      const query = new URLSearchParams(part.map((each, place) => [`hidden_${place}`, each]))
      pages.push((await newBrowser(world.server).open(`/f/${form.databaseId}?${query}`)).text)
    }
    expect(pages.at(-1)).toContain(`name="q${q(form.questions.length - atOnce)}"`)
    await visitor.open(`/f/${form.databaseId}?q=${q(words)}`)
    const refused = await visitor.fill({ [`q${q(words - 1)}`]: storable[1] ?? '' })
    pages.push(refused.text)
    await visitor.send(`/f/${form.databaseId}`, { answers: {}, client_submission_id: xss[0] })
    pages.push((await visitor.open(`/f/${form.databaseId}`)).text)
    expect(pages.at(-1)).toContain('Fill it in again')
    const { show, faults, complaints, close } = await watch(browser)
    for (const html of pages) {
      await show({ html, csp })
      expect(await faults()).toEqual([])
      await show({ html })
      expect(await faults()).toEqual([])
    }
    expect(complaints).toEqual([])
    await close()
  })
})
