import { type FailureCause, isFaultOfAddress } from './failure-causes.ts'
import {
  blockListOperators,
  finalWords,
  replyCauses,
  senderCommands,
  statusCauses,
  temporaryWords,
  wordCauses,
} from './failure-rules.ts'

/** What a mail server or a report says about a failure. */
export interface FailureEvidence {
  /** Enhanced status code of the report (RFC 3463), if it has one. */
  readonly status?: string | undefined
  /** Reply of the mail server, or the text of the report. */
  readonly text: string
  /** Whether the server that refused the message may accept it later. Unknown: from the codes. */
  readonly isTemporary?: boolean | undefined
  /** Whether a report says that no more attempts are made, so that a temporary code that names the address is final. */
  readonly isFinal?: boolean | undefined
}

export interface Judgement {
  readonly cause: FailureCause
  /** Whether the address does not accept e-mail, for good. */
  readonly isHard: boolean
}

/** Maximum number of characters of a text that are read. */
const maxTextLength = 2_000

/**
 * Returns why a message failed and whether its address is at fault. One set of rules for replies, reports and providers. Words
 * are more precise than codes; of the codes, one with a detail is more precise than one without (RFC 3463, section 2), the one
 * of the reply more than that of the report, and each more than the basic code. The address is at fault only if the most
 * precise of them says so and the failure is permanent.
 */
export function judge({ status = '', text, isTemporary, isFinal = false }: FailureEvidence): Judgement {
  const given = innermost(text.slice(0, maxTextLength))
  const codes = [...enhancedCodesIn(given), ...enhancedCodesIn(status)]
  const basic = basicCodeIn(given)
  const cause = causeOf(given, codes, basic)
  const words = given.toLowerCase()
  const digit = /[245]/.exec(status.trim() || codes[0] || String(basic ?? ''))?.[0]
  const passes = digit === undefined ? temporaryWords.test(words) : digit === '4'
  // A server that gave up after days of `user unknown` will not deliver the next message either.
  const isFinalAnyway = finalWords.test(words) || (isFinal && cause === 'ADDRESS_UNKNOWN')
  const isPassing = isTemporary ?? (passes && !isFinalAnyway)
  return { cause, isHard: !isPassing && isFaultOfAddress(cause) }
}

function causeOf(text: string, codes: readonly string[], basic: number | undefined): FailureCause {
  const words = wordsOf(text)
  const [found, , precision] = wordCauses.find(([, pattern]) => pattern.test(words)) ?? []
  const coded = codes.map(causeOfCode).find((cause) => cause !== undefined)
  const isVague = found === undefined || precision === 'vague'
  // A code of the address and words of the address agree: a refusal and the name of a filter around them change nothing.
  if (coded && isFaultOfAddress(coded) && (isVague || refusals.has(found)) && nameTheAddress(words)) return coded
  if (blockListOperators.test(text) && (isVague || found === 'SENDER')) return 'BLOCK_LIST'
  const isOfSender = coded === 'SENDER' || senderCommands.test(words)
  if (isOfSender && (isVague || isFaultOfAddress(found))) return 'SENDER'
  if (found && !isVague) return found
  // A code that names the fault is more precise than words which only say that something was refused.
  return coded ?? found ?? (basic === undefined ? undefined : replyCauses[basic]) ?? 'UNKNOWN'
}

/** Causes whose words are also in what servers write around the reason. */
const refusals = new Set<FailureCause>(['BLOCK_LIST', 'POLICY', 'CONTENT', 'AUTHENTICATION'])

/** Whether words say, among others, that the address does not exist or is disabled. */
function nameTheAddress(words: string): boolean {
  return wordCauses.some(([cause, pattern, precision]) => !precision && isFaultOfAddress(cause) && pattern.test(words))
}

/** Returns the cause of an enhanced code such as 5.7.26, by its detail or else its subject. */
function causeOfCode(code: string): FailureCause | undefined {
  const [, subject = '', detail = ''] = code.split('.')
  const key = `${subject}.${detail}`
  return Object.hasOwn(statusCauses, key)
    ? statusCauses[key]
    : detail === '0' && subject !== '6' && subject !== '7'
      ? undefined
      : statusCauses[subject]
}

/** Returns the reply inside another one, which Amazon SES quotes: `5.1.0 - Unknown address error 550-'5.7.1 Access denied'`. */
function innermost(text: string): string {
  return /\b[45]\d\d[- ]'([^']{5,})'/.exec(text)?.[1] ?? text
}

/** Returns the enhanced codes of a text, without those that are parts of addresses of hosts and of version numbers. */
function enhancedCodesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\d.\w[])([245]\.\d{1,3}\.\d{1,3})(?![\d\]]|\.\d)/g)].map(([, code = '']) => code)
}

/** Returns the basic code of a reply: three digits at its begin, after a blank or before an enhanced code. */
function basicCodeIn(text: string): number | undefined {
  const [, code] = /(?:^|[\s:;(<"'])([45]\d\d)(?=[\s-]|$|:)/.exec(text) ?? []
  return code === undefined ? undefined : Number(code)
}

/**
 * Returns a text without what could be taken for words: addresses, links, names of hosts, quotation marks, codes. Repetitions
 * have a maximum, so that the time is proportional to the length.
 */
function wordsOf(text: string): string {
  return text
    .replace(/https?:\S+/gi, ' ')
    .replace(/<?[^\s<>"'():;,@]{1,64}@[^\s<>"'():;,@]{1,255}>?/g, ' ')
    .replace(/\[[^[\]\s]{0,80}\]/g, ' ')
    .replace(/\b(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b/gi, ' ')
    .replace(/\b[245]\d\d[- ]|\b[245]\.\d{1,3}\.\d{1,3}\b/g, ' ')
    .replace(/[<>"`*#|]+|\.{2,}|-{2,}/g, ' ')
    .replace(/\s+/g, ' ')
    .toLowerCase()
}
