;(() => {
  const form = document.forms[0]
  if (!form) return
  document.documentElement.classList.add('keys')
  const observed = {
    browser_time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    browser_locale: navigator.language,
  }
  for (const [name, value] of Object.entries(observed)) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value: value ?? '' }))
  }
  const choices = [...form.querySelectorAll('.q-choice input')]
  const isScale = form.querySelector('.q-scale,.q-stars') !== null
  const isPair = form.querySelector('.q-pair') !== null
  let typedValue = ''
  let timer = 0
  let isSubmitted = false
  const findChoice = (key) => {
    // Y and N, and the letters with which the words in the language of the page begin.
    const beginsSo = (text) => text.trim()[0].toLowerCase() === key
    if (isPair) return choices.find((each) => beginsSo(each.value) || beginsSo(each.parentElement.textContent))
    if (!isScale) return /^[a-z]$/.test(key) ? choices[key.charCodeAt(0) - 97] : undefined
    clearTimeout(timer)
    timer = setTimeout(() => {
      typedValue = ''
    }, 800)
    typedValue = choices.some((each) => each.value === typedValue + key) ? typedValue + key : key
    return choices.find((each) => each.value === typedValue)
  }
  form.addEventListener('submit', (event) => {
    if (isSubmitted) event.preventDefault()
    isSubmitted = true
  })
  addEventListener('pageshow', () => {
    isSubmitted = false
  })
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return
    const target = event.target
    const isText = target.matches('textarea,select,input:not([type=radio]):not([type=checkbox])')
    if (event.key === 'Enter') {
      const canSubmit = target === document.body || (target.matches('textarea') && (event.ctrlKey || event.metaKey))
      if (!canSubmit) return
      event.preventDefault()
      form.requestSubmit()
    } else if (!isText && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const choice = findChoice(event.key.toLowerCase())
      if (!choice) return
      event.preventDefault()
      choice.focus()
      choice.click()
    }
  })
})()
