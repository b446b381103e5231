// Script of funnel pages: countdowns, embedded videos and long forms. Pages work without it. The Content-Security-Policy
// allows it by its hash.
const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches

for (const box of all('[data-countdown]')) {
  const { until, minutes, key, over, start } = box.dataset
  let end = Date.parse(until)
  if (!until) {
    const place = `campanile-countdown ${location.pathname} ${key}`
    let begin = Number(start) || Date.now()
    try {
      begin = Number(localStorage.getItem(place)) || begin
      localStorage.setItem(place, begin)
    } catch {
      // Storage is blocked. A page in a sandbox has the start; others start at each visit.
    }
    end = begin + minutes * 60000
  }
  const units = [
    ['day', 86400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ]
  const show = () => {
    let left = Math.max(0, Math.ceil((end - Date.now()) / 1000))
    if (left > 0) setTimeout(show, 1000 - (Date.now() % 1000))
    else leave()
    for (const [unit, seconds] of units) {
      box.querySelector(`[data-unit=${unit}]`).textContent = String(Math.floor(left / seconds)).padStart(2, '0')
      left %= seconds
    }
  }
  const leave = () => {
    if (!over) return
    const target = new URL(over, location.href)
    const isHere =
      target.pathname === location.pathname && target.search === location.search && target.host === location.host
    if (!isHere) location.replace(target)
    else if (target.hash) location.hash = target.hash
  }
  show()
  box.querySelector('.due').hidden = true
  box.querySelector('.cells').hidden = false
}

// Players do not work in the sandbox of a page: the link opens the page of the video.
for (const link of origin === 'null' ? [] : all('[data-embed]')) {
  const play = (more = '') => {
    const frame = document.createElement('iframe')
    frame.src = link.dataset.embed + more
    frame.title = 'Video'
    frame.allow = 'autoplay; encrypted-media; fullscreen; picture-in-picture'
    frame.referrerPolicy = 'strict-origin-when-cross-origin'
    link.replaceWith(frame)
    return frame
  }
  link.addEventListener('click', (event) => {
    if (event.metaKey || event.ctrlKey) return
    event.preventDefault()
    play().focus()
  })
  if ('autoplay' in link.dataset && !isMotionReduced) play('&mute=1&muted=1')
}

for (const video of all('video[data-autoplay]')) {
  if (isMotionReduced) continue
  video.muted = true
  video.play().catch(() => undefined)
}

for (const form of all('form[data-steps]')) {
  const fields = all('.fields > .q', form)
  const count = Math.ceil(fields.length / 3)
  const stepOf = (field) => Math.floor((fields.indexOf(field) * count) / fields.length)
  const inputs = (step) =>
    fields.filter((field) => stepOf(field) === step).flatMap((field) => all('input,select,textarea', field))
  const closing = form.querySelector('.closing')
  const make = (tag, name, text) => Object.assign(document.createElement(tag), { className: name, textContent: text })
  const progress = make('div', 'progress', '')
  const label = make('p', '', '')
  const bar = make('span', '', '')
  label.setAttribute('aria-live', 'polite')
  progress.append(label, bar)
  const navigation = make('div', 'turns', '')
  const back = make('button', 'q-button quiet', 'Back')
  const next = make('button', 'q-button', 'Continue')
  back.type = next.type = 'button'
  navigation.append(back, next)
  form.querySelector('.fields').before(progress)
  closing.before(navigation)
  form.noValidate = true
  let current = Math.max(
    0,
    fields.findIndex((field) => field.matches('.q-wrong')),
  )
  current = current && stepOf(fields[current])
  const show = (step, isMoved) => {
    current = step
    for (const field of fields) field.hidden = stepOf(field) !== current
    closing.hidden = next.hidden = false
    closing.hidden = current < count - 1
    next.hidden = !closing.hidden
    back.hidden = current === 0
    label.textContent = `Step ${current + 1} of ${count}`
    bar.className = `at-${Math.round(((current + 1) / count) * 10)}`
    if (isMoved)
      inputs(current)
        .find((input) => input.type !== 'hidden')
        ?.focus()
  }
  const isValid = (step) => {
    const invalid = inputs(step).find((input) => !input.checkValidity())
    if (!invalid) return true
    show(step)
    invalid.reportValidity()
    return false
  }
  const go = () => isValid(current) && show(current + 1, true)
  next.addEventListener('click', go)
  back.addEventListener('click', () => show(current - 1, true))
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || current === count - 1 || !event.target.matches('input')) return
    event.preventDefault()
    go()
  })
  form.addEventListener('submit', (event) => {
    const isComplete = Array.from({ length: count }, (_, step) => step).every(isValid) && form.reportValidity()
    if (!isComplete) event.preventDefault()
  })
  show(current)
}

for (const form of all('form')) {
  const observed = {
    browser_time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browser_locale: navigator.language,
  }
  for (const [name, value] of Object.entries(observed)) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value: value ?? '' }))
  }
}
