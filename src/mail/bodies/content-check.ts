import { fieldIn, type MergeField, mergeParts, readingOf, renamed, valuesIn } from '../../contacts/rendering.ts'
import { TextTooLongError } from '../../kernel/values/bounded-text.ts'
import { commonHtml, commonText, piecesOf } from './conditional-parts.ts'
import { type BodyProblem, type BodySource, isPlainText, parseEmailBody } from './email-body.ts'
import { type HtmlFaults, htmlFaultsOf, libraryPicturesOf } from './html-faults.ts'
import { nameInHtml } from './html-template.ts'
import { renderMessageText } from './message-text.ts'
import { linkFaultOfHtml, linkFaultOfText, type RequiredLink } from './required-link.ts'
import { parseHeaderTemplate } from './text-template.ts'

/** Where text of an e-mail is. */
type ContentField = 'subject' | 'preheader' | 'html' | 'text'

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
  /** The bodies whose required link recipients could not use, and what is wrong with them. An unsubscribe link is added then. */
  readonly withoutLink: readonly { readonly field: ContentField; readonly problem: string }[]
  /** Pictures and links of the HTML that recipients cannot use. */
  readonly faults: HtmlFaults
  /** URLs of pictures that may be in the media library. */
  readonly libraryPictures: readonly string[]
  /** Size of the HTML of an example message, in bytes. */
  readonly htmlBytes: number
}

/** Maximum number of faulty merge fields in a report. */
const maxFaults = 50

/** Maximum length of the excerpt of a broken merge field, in characters. */
const maxExcerpt = 60

/** Checks the content of an e-mail, or returns why its body cannot be sent. The time is linear in the length of the body. */
export function checkContent(source: ContentSource): ContentReport | BodyProblem {
  const { subject, html, text, envelope, conditional, isConfirmation, values, addresses } = source
  const link = isConfirmation ? 'CONFIRM_URL' : 'UNSUBSCRIBE_URL'
  const body = parseEmailBody({ html, text, envelope, conditional, isConfirmation })
  if ('problem' in body) return body
  const bodies = [...(isPlainText(source) ? [] : [['html', html] as const]), ...(text ? [['text', text] as const] : [])]
  try {
    const message = renderMessageText(
      { ...body, subject: parseHeaderTemplate(subject) },
      {
        values: valuesIn(values),
        addresses: { ...addresses, link: () => addresses.link },
      },
    )
    return {
      mergeFields: faultsIn([['subject', subject], ['preheader', envelope?.preheader ?? ''], ...bodies], values),
      withoutLink: bodies.flatMap(([field, each]) => {
        const problem = linkFaultOf(field, each, link)
        if (problem !== undefined) return [{ field, problem }]
        const common = field === 'html' ? commonHtml(each) : commonText(piecesOf(each, conditional ?? []))
        return !conditional || linkFaultOf(field, common, link) === undefined
          ? []
          : [{ field, problem: notForAll(link) }]
      }),
      faults: htmlFaultsOf(html),
      libraryPictures: libraryPicturesOf(html),
      htmlBytes: Buffer.byteLength(message.html),
    }
  } catch (error) {
    if (error instanceof TextTooLongError) return { field: 'html', problem: `cannot be sent: ${error.message}` }
    throw error
  }
}

const notForAll = (link: RequiredLink) => `contains {{${link}}} only in blocks that are not shown to all recipients`

function linkFaultOf(field: 'html' | 'text', body: string, link: RequiredLink): string | undefined {
  return field === 'html' ? linkFaultOfHtml(body, link) : linkFaultOfText(body, link)
}

/** Finds the faulty merge fields, each once per text. */
function faultsIn(
  texts: readonly (readonly [ContentField, string])[],
  values: ContentSource['values'],
): MergeFieldFault[] {
  const faults = new Map<string, MergeFieldFault>()
  for (const [field, text] of texts) {
    for (const fault of faultsOf(text, values, field === 'html' ? nameInHtml : undefined)) {
      if (faults.size >= maxFaults) break
      const key = `${field} ${fault.mergeField}`
      if (!faults.has(key)) faults.set(key, { ...fault, field })
    }
  }
  return [...faults.values()]
}

function* faultsOf(
  text: string,
  values: ContentSource['values'],
  nameOf = (name: string) => name,
): Generator<Omit<MergeFieldFault, 'field'>> {
  const parts = mergeParts(text)
  for (const [place, part] of parts.entries()) {
    if (typeof part !== 'string') {
      const isKnown = (name: string) => fieldIn(values, name) !== undefined
      if (!isKnown(readingOf(renamed(part, nameOf), isKnown).name))
        yield { kind: 'UNKNOWN', mergeField: `{{${part.name}}}`, offset: part.index }
      continue
    }
    const next = parts[place + 1] as MergeField | undefined
    const from = (next?.index ?? text.length) - part.length
    for (const { 0: tag, index } of part.matchAll(brokenField)) {
      const mergeField = tag.startsWith('{{')
        ? excerptOf(part.slice(index, index + maxExcerpt))
        : tag.slice(0, maxExcerpt)
      yield { kind: 'BROKEN', mergeField, offset: from + index }
    }
  }
}

/**
 * What is sent as it is and was meant as a merge field: two braces, also percent-encoded, and the tags of other systems. Names
 * between single braces or brackets are those that such tags have, because style sheets and texts have braces and brackets too.
 */
const brokenField = new RegExp(
  [
    String.raw`\{\{`,
    String.raw`(?:\{|%7b){2}(?:(?!%7d)[^\s"'<>{}&?#]){0,60}(?:\}|%7d){0,2}`,
    // Mailchimp, Zoho, and what repeats or chooses parts in Liquid and its kin.
    String.raw`\*\|[^|<>\r\n]{1,80}\|\*`,
    String.raw`\$\[[^\[\]<>\r\n]{1,80}\]\$`,
    String.raw`\{%[^{}<>\r\n]{1,80}%\}`,
    // ActiveCampaign, Marketing Cloud, Mailgun. A percent-encoded character has two digits.
    String.raw`%%[a-z][\w .-]{0,60}%%`,
    String.raw`%(?![\da-f]{2}%)(?:recipient\.)?[a-z][a-z\d]*(?:_[a-z\d]+)*%(?![\da-f]{2})`,
    String.raw`(?<![\w*\]])[{[][$!]?\[?(?:first|last|full|sur)?[ _-]?name(?:[,|:][^{}[\]<>\r\n]{0,60})?\]?[}\]](?!\s*\{[^{%$!])`,
    String.raw`(?<![\w*\]])[{[][$!]?\[?(?:e-?mail|email[ _-]?address|unsubscribe(?:[ _-]?(?:link|url))?)\]?[}\]]`,
  ].join('|'),
  'gi',
)

/** Cuts text that begins with a broken merge field at what cannot be part of one. */
function excerptOf(text: string): string {
  return (/^\{\{[^<\r\n{}]*\}{0,2}/.exec(text)?.[0] ?? text).trimEnd()
}
