/** A recipient that a text names as failed, and what the text says about it. */
interface TextFailure {
  readonly email: string
  readonly text: string
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
  const places = named
    .map((email) => ({
      email,
      at: explanation.toLowerCase().lastIndexOf(email.toLowerCase()) < 0 ? -1 : firstLineOf(explanation, email),
    }))
    .toSorted((a, b) => a.at - b.at)
  return places.map(({ email, at }, index) => {
    const next = places.slice(index + 1).find((each) => each.at > at)
    // One recipient: all of the text is about it. The lines before the first recipient often give the reason.
    return { email, text: places.length === 1 || at < 0 ? explanation : sectionOf(explanation.slice(at, next?.at)) }
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

/** Returns the begin of the line that introduces an address. */
function firstLineOf(text: string, email: string): number {
  const at = text.toLowerCase().indexOf(email.toLowerCase())
  return text.lastIndexOf('\n', at) + 1
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
