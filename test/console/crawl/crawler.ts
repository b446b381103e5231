import { rawWords, wrongPlurals } from './texts.ts'
import type { Control, Effect, Look, Shown, WatchedTab } from './watched-tab.ts'

/** What a crawl has found. */
export interface Found {
  readonly screens: number
  readonly clicks: number
  /** How many controls needed no click, because an earlier crawl has clicked them and the role may send all that they send. */
  readonly covered: number
  /** Controls that were shown once and could not be found again, because the data had changed. */
  readonly lost: readonly string[]
  readonly faults: readonly string[]
}

/** A control, and those that were clicked before it was shown. */
interface Step {
  readonly control: Control
  readonly trail: readonly string[]
}

export interface CrawlOptions {
  /** Returns whether a fault is as it should be: what a role may not read, for example. */
  readonly isExpected?: (fault: string, path: string) => boolean
  /** The controls that another role has clicked. */
  readonly known?: Sent
  /** How many clicks may precede one. More of them show what others have shown. */
  readonly maxTrail?: number
}

/** What each control, and those that its click showed, has sent to the server, by the screen and the key of the control. */
export type Sent = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Controls that end the visit, only show a list of choices that are no actions, say for a moment what was done, or are dragged
 * instead of clicked.
 */
const isLeft = ({ role, name, place }: Control) =>
  name === 'Copied' ||
  name.startsWith('Drag ') ||
  ['text', 'file', 'option', 'choice', 'textarea'].includes(role) ||
  (place === 'frame' && name === 'Sign out')

/** Buttons of a question that decline it. The others are clicked once, at the end, on a copy. */
const isDecline = ({ name }: Control) => name === 'Cancel' || name === 'Close'

const noShown: Shown = {
  text: '',
  codes: [],
  heading: '',
  errors: [],
  refusals: [],
  nameless: 0,
  empties: [],
}
const noLook: Look = { late: '', controls: [], shown: noShown, overlay: '' }

/** Clicks every control of the screens of a tab once, and collects what is wrong. */
export class Crawler {
  readonly #tab: WatchedTab
  readonly #options: CrawlOptions
  /** What is wrong, by its screen, with the click after which it was found first. */
  readonly #faults = new Map<string, string>()
  readonly #lost: string[] = []
  readonly #sent = new Map<string, Set<string>>()
  /** All that the role has sent. */
  #allSent: ReadonlySet<string> = new Set()
  /** Controls of the frame around all screens, and of the editor of texts and blocks, which several screens have. */
  readonly #shared = new Set<string>()
  /** Pages of the same server that are no screens, and whether they were requested. */
  readonly #pages = new Map<string, boolean>()
  #screens = 0
  #clicks = 0
  #covered = 0
  #path = ''
  #now: Look = noLook

  constructor(tab: WatchedTab, options: CrawlOptions = {}) {
    this.#tab = tab
    this.#options = options
  }

  get found(): Found {
    const faults = [...this.#faults].map(([fault, after]) => fault + (after && ` after ${after}`))
    return { screens: this.#screens, clicks: this.#clicks, covered: this.#covered, lost: this.#lost, faults }
  }

  get sent(): Sent {
    return this.#sent
  }

  /** Visits a screen: reads it, and clicks each of its controls, and those that the clicks show. */
  async visit(path: string): Promise<void> {
    this.#path = path
    this.#screens += 1
    await this.#open()
    const known = new Set<string>()
    const queue = this.#freshSteps(known, [])
    for (let step = queue.shift(); step; step = queue.shift()) {
      if (this.#isCovered(step)) {
        this.#covered += 1
        continue
      }
      if (!(await this.#reach(step))) {
        this.#lost.push(`${path}: ${step.control.key}`)
        continue
      }
      await this.#use(step)
      // The new controls come first, while they are shown.
      queue.unshift(...this.#freshSteps(known, [...step.trail, step.control.key]))
    }
    await this.#requestPages()
  }

  /**
   * Whether another role has clicked a control, and this one has sent all that it and the controls that it showed have sent. What
   * a role is refused depends on the operation, so a click would find nothing new.
   */
  #isCovered({ control }: Step): boolean {
    const sent = this.#options.known?.get(`${this.#path} ${control.key}`)
    return sent?.isSubsetOf(this.#allSent) ?? false
  }

  /** Notes what was sent since the last time, as the doing of these controls. */
  #noteSent(keys: readonly string[]): void {
    const sent = this.#tab.sent()
    this.#allSent = this.#allSent.union(sent)
    for (const key of keys) {
      const name = `${this.#path} ${key}`
      this.#sent.set(name, (this.#sent.get(name) ?? new Set<string>()).union(sent))
    }
  }

  /** Requests the pages that links lead to and that are no screens, such as public pages and files. */
  async #requestPages(): Promise<void> {
    for (const [url] of [...this.#pages].filter(([, isRequested]) => !isRequested)) {
      this.#pages.set(url, true)
      const response = await this.#tab.page.request.get(url, { headers: { accept: 'text/html,*/*' } })
      if (response.status() >= 400) this.#report(`${response.status()} ${url}`)
    }
  }

  /** Reports a fault, with the screen on which it was found. */
  #report(fault: string, after = ''): void {
    const named = `${this.#path}: ${fault}`
    if (!this.#isExpected(fault) && !this.#faults.has(named)) this.#faults.set(named, after)
  }

  #isExpected(fault: string): boolean {
    return this.#options.isExpected?.(fault, this.#path) ?? false
  }

  /** Loads the screen as it is at first. */
  async #open(): Promise<void> {
    // What was typed or built before, and not saved, is kept in the browser.
    if (this.#screens > 1) await this.#tab.page.evaluate('localStorage.clear()')
    await this.#tab.go(this.#path)
    await this.#look('loading it')
  }

  /** Looks at what came of a click, and reports what must not be shown or happen. */
  async #look(after: string): Promise<void> {
    this.#now = await this.#tab.look()
    const { late, controls, shown } = this.#now
    if (late) this.#report(`still busy with ${late}`, after)
    this.#checkTexts(controls, shown, after)
    if (shown.nameless > 0) this.#report('a dialog without a name', after)
    if (shown.heading === 'Not found') this.#report('Not found', after)
    for (const { text, isOnward } of shown.empties)
      if (!isOnward) this.#report(`nothing leads on from “${text}”`, after)
    for (const text of shown.refusals) this.#report(`refused: ${text}`, after)
    for (const event of await this.#tab.happened()) {
      // A value may be refused if the reason is shown where it was typed.
      const mayBeShown = event.startsWith('VALIDATION_ERROR') && !this.#isExpected(event)
      if (!mayBeShown || !(shown.errors.length > 0 || (await this.#isReasonShown()))) this.#report(event, after)
    }
  }

  /** Waits for the reason of a refusal, which is shown after the response was read. */
  async #isReasonShown(): Promise<boolean> {
    for (let turn = 0; turn < 100; turn += 1) {
      if ((await this.#tab.read()).errors.length > 0) return true
      await this.#tab.page.waitForTimeout(50)
    }
    return false
  }

  /** Checks the names of the controls and the texts that are shown. */
  #checkTexts(controls: readonly Control[], shown: Shown, after: string): void {
    for (const { name, key } of controls) if (name === '') this.#report(`a control without a name: ${key}`, after)
    const all = [shown.text, ...controls.map(({ name }) => name)].join('\n')
    const texts = shown.codes.reduce((text, code) => text.replaceAll(code, ' '), all)
    for (const word of rawWords(texts)) this.#report(`the word ${word}`, after)
    for (const words of wrongPlurals(texts)) this.#report(`the plural ${words}`, after)
  }

  /** Returns the controls that are shown for the first time, and are to be clicked. */
  #freshSteps(known: Set<string>, trail: readonly string[]): Step[] {
    if (!this.#isHere() || trail.length > (this.#options.maxTrail ?? 2)) return []
    const { controls } = this.#now
    for (const { href = '', isOutside } of controls) {
      if (isOutside && href.startsWith(new URL(this.#tab.console).origin) && !this.#pages.has(href))
        this.#pages.set(href, false)
    }
    const isQuestion = ({ place: own }: Control) =>
      own.startsWith('dialog') && !controls.some(({ place, role }) => place === own && role === 'text')
    const fresh = controls.filter((control) => {
      const { key, place, isDisabled, isOutside } = control
      if (isDisabled || isLeft(control) || known.has(key) || this.#shared.has(key)) return false
      known.add(key)
      if (place === 'frame' || place === 'editor') this.#shared.add(key)
      return !isOutside && (!isQuestion(control) || isDecline(control))
    })
    // What closes a dialog comes last, so that it is still open for the others.
    const ordered = [...fresh.filter((each) => !isDecline(each)), ...fresh.filter(isDecline)]
    return ordered.map((control) => ({ control, trail }))
  }

  /** Whether the address is still that of the visited screen. */
  #isHere(): boolean {
    const [path = ''] = this.#path.split('?')
    return new URL(this.#tab.page.url()).pathname.replace(/\/$/, '') === `/console${path}`
  }

  /** Makes a control appear: as things are, or by the clicks that showed it, or on the screen as it is at first. */
  async #reach({ control, trail }: Step): Promise<boolean> {
    if (!this.#isHere() && (await this.#tab.back())) await this.#look('going back')
    if (this.#isHere() && ((await this.#show(control)) || (await this.#replay(control, trail)))) return true
    await this.#open()
    return this.#replay(control, trail)
  }

  async #replay(control: Control, trail: readonly string[]): Promise<boolean> {
    for (const key of trail) {
      // An open menu belongs to the trail.
      if (this.#now.overlay === '' && this.#has(control)) return true
      if (!(await this.#tab.click(key))) return false
      await this.#look(key)
    }
    return this.#show(control)
  }

  /** Whether a control can be used now. What covers it is closed. */
  async #show(control: Control): Promise<boolean> {
    if (this.#now.overlay !== '' && !/^(?:dialog|menu)/.test(control.place)) await this.#closeOverlays()
    return this.#has(control)
  }

  #has({ key }: Control): boolean {
    return this.#now.controls.some((each) => each.key === key && !each.isDisabled)
  }

  /** Closes open menus, lists and dialogs with the keyboard. */
  async #closeOverlays(): Promise<void> {
    for (let times = 0; times < 3 && this.#now.overlay !== ''; times += 1) {
      await this.#tab.page.keyboard.press('Escape')
      await this.#tab.closed()
      await this.#look('Escape')
    }
    if (this.#now.overlay) this.#report(`Escape does not close: ${this.#now.overlay}`)
  }

  /** Clicks a control that was gone before it was clicked, if it is shown again. */
  async #clickAgain(step: Step): Promise<Effect> {
    await this.#look('a control that was gone')
    return (await this.#reach(step)) ? this.#tab.click(step.control.key) : undefined
  }

  /** Clicks a control, and reports what must not come of it. */
  async #use(step: Step): Promise<void> {
    const { control, trail } = step
    const { key, role, place, href } = control
    this.#clicks += 1
    this.#noteSent([])
    const effect = (await this.#tab.click(key)) ?? (await this.#clickAgain(step))
    if (effect === '') this.#report(`${key} does nothing`)
    if (effect === 'page') await this.#tab.page.waitForLoadState()
    if (isDecline(control) && place.startsWith('dialog') && !(await this.#tab.closed(place))) {
      this.#report(`${key} leaves the dialog open`)
    }
    await this.#look(key)
    // A screen is crawled itself.
    const isLink = effect === 'address' && !this.#isHere() && !href?.includes('?')
    this.#noteSent(isLink ? [] : [...trail, key])
    if (isLink) this.#sent.set(`${this.#path} ${key}`, new Set())
    if (role === 'combobox') await this.#closeOverlays()
  }
}
