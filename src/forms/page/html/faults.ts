import type { TextKey, Texts } from '../../../kernel/texts/texts.ts'

/** The problem of an answer to a consent or terms whose words have changed since the page was shown. */
export const otherWords = 'was shown with other words'

/** The messages of the rules for answers and contact fields, as programs read them, with the texts for visitors. */
const rules: readonly [RegExp, TextKey][] = [
  [/^(?:is|are) required$/, 'fault.required'],
  [/^must not be empty$/, 'fault.required'],
  [/^must be agreed to$/, 'fault.agree'],
  [/^must be accepted$/, 'fault.accept'],
  [new RegExp(`^${otherWords}$`), 'fault.otherWords'],
  [/^must be a valid e-mail address/, 'fault.email'],
  [/^must be a phone number/, 'fault.phone'],
  [/^must be a URL/, 'fault.url'],
  [/^must be a number/, 'fault.number'],
  [/^must have at most (?<max>\d+) digits$/, 'fault.digits'],
  [/^must have at most (?<max>\d+) characters$/, 'fault.length'],
  [/^must be an existing date/, 'fault.date'],
  [/^must be one of: /, 'fault.option'],
  [/^must not be an address at (?<domain>.+)$/, 'fault.domain'],
  [/^order needs an e-mail address$/, 'fault.orderEmail'],
]

/** Returns why a value is invalid as a visitor reads it. `problem` is the message of a rule, such as `must be a number`. */
export function faultText(texts: Texts, problem: string): string {
  for (const [pattern, key] of rules) {
    const { groups = {} } = pattern.exec(problem) ?? {}
    const { max, domain } = groups
    if (pattern.test(problem)) return texts.text(key, { max: Number(max), domain: domain ?? '' })
  }
  return texts.text('fault.other')
}
