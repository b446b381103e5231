;(() => {
  const form = document.forms[0]
  if (!form) return
  document.documentElement.classList.add('keys')
  const choices = [...form.querySelectorAll('.q-choice input')]
  const isScale = form.querySelector('.q-scale,.q-stars') !== null
  const isPair = form.querySelector('.q-pair') !== null
  let typed = ''
  let timer = 0
  let isSent = false
  const choiceOf = (key) => {
    if (isPair) return choices.find((each) => each.value[0] === key)
    if (!isScale) return /^[a-z]$/.test(key) ? choices[key.charCodeAt(0) - 97] : undefined
    clearTimeout(timer)
    timer = setTimeout(() => {
      typed = ''
    }, 800)
    typed = choices.some((each) => each.value === typed + key) ? typed + key : key
    return choices.find((each) => each.value === typed)
  }
  form.addEventListener('submit', (event) => {
    if (isSent) event.preventDefault()
    isSent = true
  })
  addEventListener('pageshow', () => {
    isSent = false
  })
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return
    const at = event.target
    const isText = at.matches('textarea,select,input:not([type=radio]):not([type=checkbox])')
    if (event.key === 'Enter') {
      const isWish = at === document.body || (at.matches('textarea') && (event.ctrlKey || event.metaKey))
      if (!isWish) return
      event.preventDefault()
      form.requestSubmit()
    } else if (!isText && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const choice = choiceOf(event.key.toLowerCase())
      if (!choice) return
      event.preventDefault()
      choice.focus()
      choice.click()
    }
  })
})()
