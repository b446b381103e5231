// Runs in each page of the console before its own scripts. The crawler asks `crawl` which controls are shown and what a click
// did, and reads in the log of the page what was shown for a moment only.
;(() => {
  let changes = 0
  let lastChange = 0
  let requests = 0
  let pending = 0
  /** The elements of the controls that were listed last, by their keys. */
  let elements = new Map()

  const { fetch } = window
  window.fetch = async (...request) => {
    requests += 1
    pending += 1
    try {
      return await fetch(...request)
    } finally {
      pending -= 1
    }
  }

  /** What must not be shown, not even for a moment. */
  const headings = /^(?:Not found|The screen could not be shown|You are not signed in)$/
  const failures =
    /Not everything could be read|This could not be read|could not be reached|Unexpected|INTERNAL|Internal/
  /** What was told: the text nodes of failures that are shown, and the heading. */
  let told = new Set()

  /** Returns the text nodes of the failures that are shown, and the heading that must not be. */
  const findBad = () => {
    const root = document.querySelector('#root')
    const bad = [...document.querySelectorAll('#root h1')].filter(({ textContent }) => headings.test(textContent))
    if (!failures.test(root?.textContent ?? '')) return bad
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) if (failures.test(walker.currentNode.data)) bad.push(walker.currentNode)
    return bad
  }

  /**
   * Writes to the log if an error is shown. The address can be that of the next tab while the content of the last one is still
   * shown, so each error is written once, with the address at which it appeared.
   */
  const watch = () => {
    const bad = findBad()
    for (const node of bad.filter((each) => !told.has(each))) {
      const words = failures.exec(node.textContent)?.[0] ?? node.textContent
      console.info(`crawl: ${words} at ${location.pathname}${location.search}`)
    }
    told = new Set(bad)
  }
  /** What changes by itself: live lists, and messages that close. */
  const byItself = '[aria-live], time, [class*=Notifications]'
  const isOwn = ({ target }) => !(target.closest ? target : target.parentElement)?.closest(byItself)

  const observer = new MutationObserver((records) => {
    if (records.some(isOwn)) changes += 1
    lastChange = performance.now()
    watch()
  })
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })

  // The choice of a file is a window of the browser.
  let choices = 0
  addEventListener('click', ({ target }) => target.matches?.('input[type=file]') && choices++, true)

  const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve()))

  // A frame that is requested is also drawn, so waiting does not request one.
  const moment = () => new Promise((resolve) => setTimeout(resolve, 10))

  /** Waits for a condition. Returns whether it came true in time. */
  const until = async (condition, limitMs) => {
    const end = performance.now() + limitMs
    while (!condition()) {
      if (performance.now() > end) return false
      await moment()
    }
    return true
  }

  const isBusy = () =>
    pending > 0 ||
    document.querySelector('#main [aria-busy=true], [data-loading=true]') !== null ||
    !document.querySelector('h1')
  const quietMs = 60

  /** Waits until nothing is under way, and nothing has changed for some frames. Returns what is still under way. */
  const settle = async () => {
    const isOver = await until(() => !isBusy() && performance.now() - lastChange > quietMs, 15_000)
    return isOver || !isBusy() ? '' : `${pending} requests, or a placeholder`
  }

  const isShown = (element) => {
    const box = element.matches('input[type=radio], input[type=checkbox]') ? element.parentElement : element
    return box.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert], [aria-hidden=true]')
  }

  /** Returns the text of an element as it is read out, with a space between the texts of different elements. */
  const textOf = (element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    let text = ''
    let parent
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode
      if (parentElement.closest('[aria-hidden=true], style, script')) continue
      text += parentElement === parent ? data : ` ${data}`
      parent = parentElement
    }
    return text.replace(/\s+/g, ' ').trim()
  }

  /** Returns the accessible name of a control. A placeholder is none. */
  const nameOf = (element) => {
    const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? []
    const titles = ids.map((id) => document.getElementById(id)).filter(Boolean)
    const labels = [...(element.labels ?? [])].map(textOf).join(' ')
    const own = element.matches('input, select, textarea') ? '' : textOf(element)
    return titles.map(textOf).join(' ') || element.getAttribute('aria-label') || labels || own || element.title || ''
  }

  const roleOf = (element) => {
    const role = element.getAttribute('role')
    if (role) return role
    const tag = element.tagName.toLowerCase()
    if (tag === 'a') return 'link'
    if (tag === 'summary') return 'button'
    if (tag !== 'input') return { select: 'choice', textarea: 'text' }[tag] ?? tag
    return ['checkbox', 'radio', 'button', 'submit', 'file'].includes(element.type) ? element.type : 'text'
  }

  const headingOf = (section) =>
    section.querySelector('h2')?.textContent ?? section.querySelector('h3')?.textContent ?? ''

  const titleOf = (dialog) =>
    dialog.getAttribute('aria-label') ||
    // The title is linked a moment after the dialog has opened.
    (document.getElementById(dialog.getAttribute('aria-labelledby')) ?? dialog.querySelector('h2'))?.textContent ||
    ''

  /** The title of a dialog without what names an object: a quoted name, an address, or the name of a file. */
  const dialogPlace = (dialog) => `dialog ${titleOf(dialog).replace(/“.*”|\S+@\S+|^.*\.\w{3,4}$/, '…')}`

  /** Returns where a control is: its dialog, menu, table or section. */
  const placeOf = (element) => {
    const dialog = element.closest('[role=dialog]')
    if (dialog) return dialogPlace(dialog)
    if (element.closest('[role=menu]')) return 'menu'
    if (element.closest('.block-bar, .section-bar, .rich-text')) return 'editor'
    if (!element.closest('#main')) return 'frame'
    const table = element.closest('table')?.getAttribute('aria-label')
    const list = element.closest('ol[aria-label]')?.getAttribute('aria-label')
    const section = element.closest('section')
    return [section && headingOf(section), list, table].filter(Boolean).join(', ') || 'screen'
  }

  const isId = (part) =>
    !/^(?:console|contacts|campaigns|segments|sequences|forms|funnels|steps|sales|settings|developer|import|)$/.test(
      part,
    )

  /** Returns the target of a link without what identifies an object: links to two contacts of a list are one control. */
  const patternOf = ({ pathname, searchParams }) => {
    const path = pathname
      .split('/')
      .map((part) => (isId(part) ? ':id' : part))
      .join('/')
    return [path, ...[...searchParams].map(([name, value]) => (value.length < 20 ? `${name}=${value}` : name))].join(
      ' ',
    )
  }

  /** Returns the name of a control without what names the object it belongs to, so that each kind of control is used once. */
  const kindOf = (element, name) => {
    if (element.matches('a[href]') && element.origin === location.origin) return patternOf(new URL(element.href))
    if (element.matches('a[href]')) return 'another site'
    // Each block has the same tools. Its face leads to the settings of its kind.
    if (element.closest('.block-bar, .section-bar') && !element.matches('.section-name'))
      return `${name.split(' ')[0]} …`
    if (element.matches('.block-face')) return name.split(':')[0]
    const row = element.closest('tbody tr')
    if (row && element.matches('input')) return 'of a row'
    if (row) return textOf(element) || name.split(' ')[0]
    const entry = element.closest('.entry')?.querySelector('.entry-name')?.textContent
    return (entry ? name.replace(entry, '…') : name).replace(/\d+/g, '#').replace(/“.*”|\S+@\S+/, '…')
  }

  const kinds =
    'button, a[href], summary, input:not([type=hidden]), select, textarea, [role=button], [role=menuitem], [role=tab], [role=option], [role=switch]'

  const isCurrent = (element) => element.matches('[aria-selected=true], [aria-current], :checked[type=radio]')

  const describe = (element) => {
    const [name, role, place] = [nameOf(element), roleOf(element), placeOf(element)]
    const key = [place, role, kindOf(element, name)].join(' | ').replace(/\d+/g, '#')
    const isDisabled = element.matches(':disabled, [aria-disabled=true], [data-disabled=true]')
    return {
      ...{ key, name, role, place, isDisabled },
      href: element.matches('a[href]') ? element.href : undefined,
      isOutside:
        element.matches('a[href]') && (element.target === '_blank' || !element.pathname.startsWith('/console')),
      isExpanded: element.getAttribute('aria-expanded') ?? undefined,
    }
  }

  /** Returns the controls that are shown. Of those with the same key, the first one that can be used. */
  const list = () => {
    elements = new Map()
    const found = new Map()
    for (const element of document.querySelectorAll(kinds)) {
      // Rows below have the same controls.
      if (element.closest('tbody tr')?.sectionRowIndex > 7 || !isShown(element)) continue
      // A link in a text that is edited is part of the text.
      if (element.matches('a') && element.isContentEditable) continue
      const control = describe(element)
      if (found.has(control.key) && (!found.get(control.key).isDisabled || control.isDisabled)) continue
      found.set(control.key, control)
      elements.set(control.key, element)
    }
    return [...found.values()]
  }

  const active = () => document.activeElement

  /**
   * Clicks a control. Returns what that did; empty if nothing changed within the limit, `current` if it led to what was shown already. The control has the focus before, as
   * after a click of a mouse, so that the focus itself is no effect.
   */
  const click = async (key) => {
    if (!elements.get(key)?.isConnected) list()
    const element = elements.get(key)
    if (!element) return undefined
    element.scrollIntoView({ block: 'center' })
    // The focus is all that a click on some fields does.
    if (element.matches('input[role=combobox]')) active()?.blur()
    else element.focus({ preventScroll: true })
    await frame()
    // A menu that was still closing is gone.
    if (!element.isConnected) return undefined
    const before = { changes, requests, choices, href: location.href, active: active() }
    // Another control may have led there since it was listed.
    const wasCurrent = isCurrent(element)
    element.focus({ preventScroll: true })
    element.click()
    const effect = () => {
      if (location.href !== before.href) return 'address'
      if (requests > before.requests) return 'request'
      if (choices > before.choices) return 'file'
      if (changes > before.changes) return 'content'
      return active() === before.active ? '' : 'focus'
    }
    // What is chosen already need not do anything.
    await until(() => effect() !== '', wasCurrent ? 100 : 5_000)
    return effect() || (wasCurrent ? 'current' : '')
  }

  /** Returns texts that are shown, and what is wrong with them if anyone saw them. */
  const read = () => {
    const main = document.querySelector('#main') ?? document.body
    const copy = [main, ...document.querySelectorAll('[role=dialog], [role=menu]')]
    const codes = [...main.querySelectorAll('code, pre, textarea, del, .field-chip, [class*=monospace]')].map(
      (each) => each.innerText,
    )
    return {
      text: copy
        .filter((each) => each.checkVisibility())
        .map((each) => each.innerText)
        .join('\n'),
      errors: [...document.querySelectorAll('.mantine-InputWrapper-error, [role=alert]')].map((each) => each.innerText),
      codes: codes.filter(Boolean),
      heading: main.querySelector('h1')?.textContent ?? '',
      nameless: [...document.querySelectorAll('[role=dialog]')].filter((each) => titleOf(each) === '').length,
      refusals: [...document.querySelectorAll('.mantine-Notification-root')]
        .filter((each) => /red/.test(each.getAttribute('style') ?? ''))
        .map((each) => each.innerText.trim()),
      empties: [...document.querySelectorAll('#main [data-empty]')].map((each) => ({
        text: each.innerText.trim(),
        isOnward: isOnward(each),
      })),
    }
  }

  /** Whether a control beside an empty list, in its section or in the heading of the screen leads on. */
  const isOnward = (element) => {
    const near = [
      element.closest('section, .mantine-Paper-root'),
      element.closest('[role=tabpanel]'),
      document.querySelector('#main h1')?.closest('.mantine-Group-root'),
    ]
    return near.some((place) =>
      [...(place?.querySelectorAll('button, a[href], input, select') ?? [])].some((each) => isShown(each)),
    )
  }

  const isField = (element) =>
    isShown(element) &&
    !element.matches(':disabled, [readonly], [type=search], [role=combobox], [aria-haspopup=listbox]') &&
    roleOf(element) === 'text'

  /** Returns the text fields of the screen, and numbers them so that they can be found. */
  const fields = () =>
    [...document.querySelectorAll('#main input, #main textarea')].filter(isField).map((element, number) => {
      element.dataset.field = number
      const wrappers = [...document.querySelectorAll('.mantine-InputWrapper-root')].filter((each) =>
        each.contains(element),
      )
      const note = wrappers.map((each) => each.innerText).join('\n')
      return { number, name: nameOf(element), type: element.inputMode || element.type, value: element.value, note }
    })

  /** Returns what a dialog, a menu or a list of choices that is open is called; empty if none is open. */
  const overlay = () => {
    const open = [...document.querySelectorAll('[role=dialog], [role=menu], [role=listbox]')].find((each) =>
      each.checkVisibility(),
    )
    return open ? `${roleOf(open)} ${titleOf(open) || textOf(open).slice(0, 40)}` : ''
  }
  const isDialogOpen = (place) =>
    [...document.querySelectorAll('[role=dialog]')].some(
      (each) => each.checkVisibility() && dialogPlace(each) === place,
    )
  /** Waits until a dialog, or by default each dialog, menu and list, is closed. Returns whether that is so. */
  const closed = (place) => until(() => (place ? !isDialogOpen(place) : overlay() === ''), 1_000)

  /** Returns to the screen before, without loading it again. Returns whether the address has changed. */
  const back = async () => {
    const { href } = location
    history.back()
    return until(() => location.href !== href, 1_000)
  }

  /** Texts of programs and of other pages, which no catalogue has. */
  const foreign = 'code, pre, kbd, textarea, script, style, iframe'
  const spoken = ['aria-label', 'aria-description', 'placeholder', 'title', 'alt']

  /** Returns each text that is shown or read out. */
  const texts = () => {
    const found = new Set([document.title])
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode
      if (parentElement.checkVisibility() && !parentElement.closest(foreign)) found.add(data)
    }
    for (const name of spoken)
      for (const element of document.body.querySelectorAll(`[${name}]`))
        if (element.checkVisibility() && !element.closest('[aria-hidden=true]')) found.add(element.getAttribute(name))
    return [...found]
  }

  /** Waits until nothing is under way, and returns all that is shown. */
  const look = async () => {
    const late = await settle()
    return { late, controls: list(), shown: read(), overlay: overlay() }
  }

  window.crawl = { look, back, fields, click, settle, read, closed, texts }
})()
