import { commonAttributes, type Draft } from './draft.ts'
import { address, type Markup, markup } from './markup.ts'
import { numberOf, type Properties, textOf } from './properties.ts'

const units = ['day', 'hour', 'minute', 'second'] as const

/**
 * The time that is left: until a moment, or for some minutes from a browser's first visit on. The script counts; without it
 * the page says until when, or how long.
 */
export function countdown(draft: Draft, element: Properties): Markup | null {
  const until = momentOf(element['until'])
  const minutes = numberOf(element['minutes'], 0, 525_600)
  if (until === undefined && minutes === undefined) return null
  draft.needsScript = true
  const over = element['href'] === undefined ? undefined : address(element['href'])
  const end = until
    ? markup` data-until="${until.toISOString()}"`
    : markup` data-minutes="${minutes}" data-key="${textOf(element['id']) || `${minutes}`}"`
  const words = until
    ? markup`<time datetime="${until.toISOString()}">${inWords(draft.language, until)}</time>`
    : amount(draft.language, minutes ?? 0)
  const cells = units.map(
    (unit) =>
      markup`<span class="cell"><b data-unit="${unit}">00</b> <span>${nameOf(draft.language, unit)}</span></span>`,
  )
  return markup`<div role="timer" data-countdown${end}${over && markup` data-over="${over}"`}${commonAttributes(
    draft,
    element,
    'countdown',
  )}><p class="due">${words}</p><div class="cells" hidden>${cells}</div></div>`
}

function momentOf(given: unknown): Date | undefined {
  const moment = new Date(textOf(given))
  const isNear = Math.abs(moment.getTime()) < 8e12
  return isNear ? moment : undefined
}

function inWords(language: string, moment: Date): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  } as Intl.DateTimeFormatOptions).format(moment)
}

function amount(language: string, minutes: number): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
}

/** What people call it in their language, as it is said of many. */
function nameOf(language: string, unit: (typeof units)[number]): string {
  const parts = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(20)
  return parts.find(({ type }) => type === 'unit')?.value ?? unit
}
