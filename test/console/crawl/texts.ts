/** Nouns that the console counts, in the singular. */
const nouns = [
  ...['visitor', 'contact', 'point', 'opt-in', 'row', 'message', 'order', 'stage', 'step', 'question', 'answer', 'key'],
  ...[
    'user',
    'event',
    'campaign',
    'click',
    'field',
    'segment',
    'sequence',
    'form',
    'funnel',
    'tag',
    'submission',
    'line',
  ],
  ...['second', 'minute', 'hour', 'day', 'week', 'month', 'year', 'recipient', 'invoice', 'e-mail', 'link', 'error'],
]

/** Words that end like a plural, and may follow the number one. */
const noPlurals =
  /(?:ss|us|is)$|^(?:was|has|does|as|its|this|always|perhaps|sometimes|gross|plus|vs|accepts|bounces|refuses|says)$/

/** A number that is no part of a longer one, a date or a name, with the word after it. */
const counted = /(?<![\w.,:/#%–-])(\d[\d,.]*)[ \u00a0]([a-z][a-z-]*)(?![\w-])/g

/** Returns what counts wrongly in a text: "1 visitors", "2 contact". Numbers and nouns are on one line. */
export function wrongPlurals(text: string): string[] {
  return [...text.matchAll(counted)]
    .filter(([, number = '', word = '']) => isWrong(number, word))
    .map(([found]) => found)
}

function isWrong(number: string, word: string): boolean {
  const isOne = Number(number.replaceAll(',', '')) === 1
  if (isOne) return word.endsWith('s') && !noPlurals.test(word)
  return nouns.includes(word)
}

/** Names of products, units and abbreviations that are written like the names of programs. */
const realWords = new Set(['iPhone', 'iPad', 'macOS', 'eBay', 'iOS', 'kB'])

/** What programs call things: `userInvite`, `SINGLE_CHOICE`, `__typename`, a value that was not there. */
const rawWord = /\b[a-z]+[A-Z]\w*\b|\b[A-Z]{2,}(?:_[A-Z]+)+\b|\b__\w+|\[object \w+\]|\b(?:undefined|NaN)\b/g

/**
 * Returns the words of a text that are no words of people. Merge fields, addresses and names of files are shown as they are
 * on purpose.
 */
export function rawWords(text: string): string[] {
  const own = text.replace(/\{\{[^}]*\}\}/g, ' ').replace(/\b(?:https?:\/\/|\/)\S*|\S+@\S+|\b[\w-]+\.[\w.-]+\b/g, ' ')
  return [...own.matchAll(rawWord)].map(([found]) => found).filter((word) => !realWords.has(word))
}
