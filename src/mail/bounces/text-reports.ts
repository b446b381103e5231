/** A recipient that a text names as failed, and what the text says about it. */
export interface TextFailure {
  readonly email: string
  /** The lines from each of its mentions to the next one of another recipient. */
  readonly text: string
  /** The lines between the recipient before it, or the begin, and its first mention. */
  readonly before: string
}

/** Maximum number of characters of a text that are read, and of recipients that it may name. */
const maxTextLength = 20_000
const maxRecipients = 100

/** A line that begins the returned message, in the texts of common mail servers. */
const returnedMessage =
  /^[ \t>*]*(?:-{2,}|={2,}|\*{2,})?[ \t]*(?:below this line is a copy|this is a copy of (?:the|your) message|(?:the )?(?:header of the )?original (?:message|mail)(?: headers?)?\b(?!.*(?:was received|could not|not delivered))|message headers? follow|message header:|returned message|undelivered message|unsent message|start of the returned message|included is a copy|forwarded message|received:[ \t]+from|return-path:[ \t]*<|received from ).*$/im

const address = /(?:"[^"\r\n]{1,64}"|[^\s<>"'()[\]:;,|/=]{1,64})@(?:[^\s<>"'()[\]:;,|@=]{1,255})/gu

/** Returns the part of a report that explains the failure, without the returned message. */
export function explanationOf(text: string): string {
  const start = text.slice(0, maxTextLength).replace(/\r\n?/g, '\n')
  const end = returnedMessage.exec(start)?.index ?? start.length
  // A text that consists of the returned message explains it in a line of its own.
  return end < 20 ? start : start.slice(0, end)
}

/**
 * Returns the recipients that the explanation of a report names, with the text about each. `others` are addresses that are not
 * recipients, such as the one that the report was sent to.
 */
export function textFailures(
  explanation: string,
  { failed, others }: { failed: readonly string[]; others: readonly string[] },
): TextFailure[] {
  const named = [...new Set(failed.length > 0 ? failed : recipientsIn(explanation, others))].slice(0, maxRecipients)
  // One recipient: all of the text is about it. The lines before the recipient often give the reason.
  if (named.length === 1) return named.map((email) => ({ email, text: explanation, before: '' }))
  const mentions = named.flatMap((email) => linesOf(explanation, email)).toSorted((a, b) => a.at - b.at)
  return named.map((email) => {
    // A mention after one of the same recipient is in the section of that one.
    const own = mentions.filter((each, index) => each.email === email && mentions[index - 1]?.email !== email)
    const others = mentions.filter((mention) => mention.email !== email)
    // Recipients of one line share what follows it.
    const sections = own.map(({ at }) => sectionOf(explanation.slice(at, others.find((each) => each.at > at)?.at)))
    const [{ at: first } = { at: 0 }] = own
    const previous = others.findLast((each) => each.at < first)?.at
    const from = previous === undefined ? 0 : explanation.indexOf('\n', previous) + 1
    return { email, text: sections.join('\n'), before: explanation.slice(from, first) }
  })
}

/**
 * Returns the addresses of a text, without those of lines that quote the sender, of programs, and the others if there are any
 * more.
 */
function recipientsIn(explanation: string, others: readonly string[]): string[] {
  const quotes = /^.*\b(?:mail from|from|sender|reply-to|return-path|message-id|references|in-reply-to):.*$/gim
  const found = addressesIn(explanation.replace(quotes, ''))
  const skipped = new Set(others.map((each) => each.toLowerCase()))
  const likely = found.filter((each) => !skipped.has(each.toLowerCase()) && !isDaemon(each))
  return likely.length > 0 ? likely : found
}

/** Returns what a text says about the recipient in its first line: this line, if it is a reply, or all. */
function sectionOf(text: string): string {
  return /^[45]\d\d .*/.exec(text)?.[0] ?? text
}

/** Returns the begins of the lines that mention an address, and not a longer one that contains it. */
function linesOf(text: string, email: string): { readonly email: string; readonly at: number }[] {
  const [lower, sought] = [text.toLowerCase(), email.toLowerCase()]
  const found = new Set<number>()
  for (let at = lower.indexOf(sought); at >= 0 && sought !== ''; at = lower.indexOf(sought, at + sought.length)) {
    const isPart = /[\w.+-]/.test(lower[at - 1] ?? '') || /[\w-]/.test(lower[at + sought.length] ?? '')
    if (!isPart) found.add(text.lastIndexOf('\n', at) + 1)
  }
  return [...found].map((at) => ({ email, at }))
}

export function addressesIn(text: string): string[] {
  return [...text.matchAll(address).take(1_000)].map(([match]) =>
    match.replace(/^(?:mailto:|rfc822;)/i, '').replace(/[.>]+$/, ''),
  )
}

/** Returns whether an address is one of programs, which reports name as their author or for questions. */
function isDaemon(email: string): boolean {
  return /^(?:mailer[-_]?daemon|post_?master|abuse|no-?reply|support|help(?:desk)?)@/i.test(email)
}
