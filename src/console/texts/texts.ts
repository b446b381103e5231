import { i18n, type Messages } from '@lingui/core'

/** The catalogues, each of them a chunk. The English texts are in the code as well, so that they need none. */
const catalogues = import.meta.glob<{ messages: Messages }>('./*.po')

/** Shows the English texts, or those of the language that was chosen in this browser once they are loaded. */
export async function loadTexts(): Promise<void> {
  // What is in the code was compiled when it was built.
  i18n.setMessagesCompiler((message) => [message])
  show('en', {})
  const chosen = localStorage.getItem('language') ?? ''
  const catalogue = await catalogues[`./${chosen}.po`]?.()
  if (catalogue) show(chosen, catalogue.messages)
}

function show(language: string, messages: Messages): void {
  // The region of the browser decides how numbers and dates are written.
  const locales = navigator.languages.find((each) => each.split('-')[0] === language) ?? language
  i18n.loadAndActivate({ locale: language, locales, messages })
  document.documentElement.lang = language
}
