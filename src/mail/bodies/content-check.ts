import { type MergeField, mergeParts } from '../../contacts/rendering.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { type BodyProblem, type BodySource, parseEmailBody } from './email-body.ts'
import { renderMessageText } from './message-text.ts'
import { parseHeaderTemplate } from './text-template.ts'
import { unsubscribeFaultOfHtml, unsubscribeFaultOfText } from './unsubscribe-link.ts'

/** Where text of an e-mail is. */
type ContentField = 'subject' | 'html' | 'text'

/** An e-mail to check, and the data of an example message. */
export interface ContentSource extends BodySource {
  readonly subject: string
  /** Values of all known merge fields by name, those of custom fields included. */
  readonly values: Readonly<Record<string, string>>
  /** URLs of an example of a tracked link and of the pixel. */
  readonly addresses: { readonly link: string; readonly pixel: string }
}

/** A merge field that is not filled in: UNKNOWN if no field has its name, BROKEN if it is not a merge field at all. */
interface MergeFieldFault {
  readonly kind: 'UNKNOWN' | 'BROKEN'
  readonly field: ContentField
  /** The merge field as it is written, without fallback. The beginning of a broken one. */
  readonly mergeField: string
  /** Index of its first character, in UTF-16 code units. */
  readonly offset: number
}

/** What was found in the content of an e-mail. */
export interface ContentReport {
  readonly mergeFields: readonly MergeFieldFault[]
  /** The bodies to which an unsubscribe link is added, because recipients could not use one, and what is wrong with them. */
  readonly withoutUnsubscribeLink: readonly { readonly field: ContentField; readonly problem: string }[]
  /** Size of the HTML of an example message, in bytes. */
  readonly htmlBytes: number
}

/** Maximum number of faulty merge fields in a report. */
const maxFaults = 50

/** Maximum length of the excerpt of a broken merge field, in characters. */
const maxExcerpt = 60

/** Checks the content of an e-mail, or returns why its body cannot be sent. The time is linear in the length of the body. */
export function checkContent(source: ContentSource): ContentReport | BodyProblem {
  const { subject, html, text, values, addresses } = source
  const body = parseEmailBody({ html, text })
  if ('problem' in body) return body
  const bodies = [['html', html] as const, ...(text ? [['text', text] as const] : [])]
  try {
    const message = renderMessageText(
      { ...body, subject: parseHeaderTemplate(subject) },
      {
        values: (name) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''),
        addresses: { ...addresses, link: () => addresses.link },
      },
    )
    return {
      mergeFields: faultsIn([['subject', subject], ...bodies], values),
      withoutUnsubscribeLink: bodies.flatMap(([field, each]) => {
        const problem = field === 'html' ? unsubscribeFaultOfHtml(each) : unsubscribeFaultOfText(each)
        return problem === undefined ? [] : [{ field, problem }]
      }),
      htmlBytes: Buffer.byteLength(message.html),
    }
  } catch (error) {
    if (error instanceof TextTooLongError) return { field: 'html', problem: `cannot be sent: ${error.message}` }
    throw error
  }
}

/** Finds the faulty merge fields, each once per text. */
function faultsIn(
  texts: readonly (readonly [ContentField, string])[],
  values: ContentSource['values'],
): MergeFieldFault[] {
  const faults = new Map<string, MergeFieldFault>()
  for (const [field, text] of texts) {
    for (const fault of faultsOf(text, values)) {
      if (faults.size >= maxFaults) break
      const key = `${field} ${fault.mergeField}`
      if (!faults.has(key)) faults.set(key, { ...fault, field })
    }
  }
  return [...faults.values()]
}

function* faultsOf(text: string, values: ContentSource['values']): Generator<Omit<MergeFieldFault, 'field'>> {
  const parts = mergeParts(text)
  for (const [place, part] of parts.entries()) {
    if (typeof part !== 'string') {
      if (!Object.hasOwn(values, part.name))
        yield { kind: 'UNKNOWN', mergeField: `{{${part.name}}}`, offset: part.index }
      continue
    }
    const next = parts[place + 1] as MergeField | undefined
    const from = (next?.index ?? text.length) - part.length
    for (const { index } of part.matchAll(/\{\{/g)) {
      yield { kind: 'BROKEN', mergeField: excerptOf(part.slice(index, index + maxExcerpt)), offset: from + index }
    }
  }
}

/** Cuts text that begins with a broken merge field at what cannot be part of one. */
function excerptOf(text: string): string {
  return (/^\{\{[^<\r\n{}]*\}{0,2}/.exec(text)?.[0] ?? text).trimEnd()
}
