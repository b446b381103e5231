import { numberOf, type Properties, textOf } from '../styles/properties.ts'
import { commonAttributes, type Draft } from './draft.ts'
import { address, type Markup, markup, startSlot } from './markup.ts'

const units = ['day', 'hour', 'minute', 'second'] as const

/**
 * Renders a countdown to a fixed time, or of some minutes from the first visit of a browser. The page script updates it.
 * Without the script, the page shows the end or the duration. Returns null if the element has neither.
 */
export function countdown(draft: Draft, element: Properties): Markup | null {
  const until = dateOf(element['until'])
  const minutes = numberOf(element['minutes'], 0, 525_600)
  if (until === undefined && minutes === undefined) return null
  draft.needsScript = true
  const over = element['href'] === undefined ? undefined : address(element['href'])
  const end = until
    ? markup` data-until="${until.toISOString()}"`
    : markup` data-minutes="${minutes}" data-key="${textOf(element['id']) || `${minutes}`}"${startSlot()}`
  const words = until
    ? markup`<time datetime="${until.toISOString()}">${formatDate(draft.language, until)}</time>`
    : formatMinutes(draft.language, minutes ?? 0)
  const cells = units.map(
    (unit) =>
      markup`<span class="cell"><b data-unit="${unit}">00</b> <span>${unitName(draft.language, unit)}</span></span>`,
  )
  return markup`<div role="timer" data-countdown${end}${over && markup` data-over="${over}"`}${commonAttributes(
    draft,
    element,
    'countdown',
  )}><p class="due">${words}</p><div class="cells" hidden>${cells}</div></div>`
}

function dateOf(value: unknown): Date | undefined {
  const date = new Date(textOf(value))
  const isInRange = Math.abs(date.getTime()) < 8e12
  return isInRange ? date : undefined
}

function formatDate(language: string, date: Date): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    ...{ year: 'numeric', month: 'long', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
  } as Intl.DateTimeFormatOptions).format(date)
}

function formatMinutes(language: string, minutes: number): string {
  return new Intl.NumberFormat(language, { style: 'unit', unit: 'minute', unitDisplay: 'long' }).format(minutes)
}

/** Returns the plural name of a unit in a language. */
function unitName(language: string, unit: (typeof units)[number]): string {
  const parts = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).formatToParts(20)
  return parts.find(({ type }) => type === 'unit')?.value ?? unit
}
