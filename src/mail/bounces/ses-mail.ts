import { readSesReports } from './provider-reports.ts'
import { type BounceReport, judgeReport } from './report-judgement.ts'

/** Maximum number of characters of a text in which a notification is looked for. */
const maxTextLength = 200_000

/**
 * Reads the notification of Amazon SES that SNS sent by e-mail: the notification itself or the envelope of SNS around it, in any
 * layout. Empty if it reports no failure. Undefined if the text contains no notification.
 */
export function sesReportsIn(text: string): BounceReport[] | undefined {
  const start = text.slice(0, maxTextLength)
  const at = start.search(/\{\s*"/)
  if (at < 0) return undefined
  const json = objectAt(start, at)
  // Programs fold long lines on their way, also within the texts of the notification.
  for (const unfolded of [json, json.replace(/!\r?\n ?/g, ''), json.replace(/ ?\r?\n ?/g, '')]) {
    const notification = notificationOf(unfolded)
    if (notification !== undefined) return read(notification)
  }
  return undefined
}

function read(notification: object): BounceReport[] | undefined {
  try {
    return readSesReports(notification).map(judgeReport)
  } catch {
    return undefined
  }
}

/** Returns the text of the object that begins at a place, as far as its brackets say. */
function objectAt(text: string, start: number): string {
  let depth = 0
  let isInString = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '"') isInString = !isInString
    else if (!isInString && character === '{') depth += 1
    else if (!isInString && character === '}') {
      depth -= 1
      if (depth === 0) return text.slice(start, at + 1)
    }
  }
  return text.slice(start)
}

function notificationOf(json: string): object | undefined {
  const value = parsed(json)
  if (typeof value?.['Message'] === 'string') return notificationOf(value['Message'])
  return value && ('notificationType' in value || 'eventType' in value) ? value : undefined
}

function parsed(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
