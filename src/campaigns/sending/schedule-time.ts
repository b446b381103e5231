import { IANAZone } from 'luxon'
import { isOnCalendar } from '../../kernel/clock.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** ISO 8601 in its basic format: `20261224T180000Z`. Seconds, fraction and offset are optional. */
const basicFormat = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)([.,]\d{1,9})?)?(Z|[+-]\d\d(?:\d\d)?)?$/

/** `2026-12-24T18:00` with optional seconds, fraction and offset; or `2026-12-24 18:00` with optional seconds. */
const extendedFormat =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?| (\d\d):(\d\d)(?::(\d\d))?)$/

/**
 * Parses the date and time of a client. Returns undefined if it is malformed or does not exist.
 *
 * A time without an offset is local time in `zone`. If the local time occurs twice, as in the night that summer time ends,
 * it is the second occurrence. If the local time is skipped, it moves forward by the length of the gap: 02:30 becomes 03:30.
 */
export function parseScheduleTime(text: string, zone: string): Date | undefined {
  const { local, offset } = parseParts(text) ?? {}
  if (local === undefined) return undefined
  const offsetMs = offset === undefined ? local - localToInstant(local, zone) : parseOffset(offset)
  const instant = new Date(local - (offsetMs ?? Number.NaN))
  return isOnCalendar(instant) ? instant : undefined
}

/** The largest offset of a time zone from UTC: where each day begins first. */
const firstOffsetMs = 14 * 60 * minuteMs

/**
 * Parses the local time of a client. Returns it in the format `YYYY-MM-DD HH:MM:SS`, and the instant at which it is that time in
 * the first time zone. Undefined if it is malformed, does not exist or has an offset.
 */
export function parseLocalTime(text: string): { local: string; firstAt: Date } | undefined {
  const { local, offset } = parseParts(text) ?? {}
  if (local === undefined || offset !== undefined) return undefined
  return { local: formatLocalTime(new Date(local), 'UTC'), firstAt: new Date(local - firstOffsetMs) }
}

/** Returns the local time of a text as if it were UTC, and its offset if it has one. */
function parseParts(text: string): { local: number; offset: string | undefined } | undefined {
  const [, year, month, date, hourT, minuteT, secondT, fraction, offset, hour, minutes, second] =
    extendedFormat.exec(toExtendedFormat(text)) ?? []
  if (year === undefined) return undefined
  const parts = [year, month, date, hourT ?? hour, minuteT ?? minutes, secondT ?? second ?? '0'].map(Number)
  const seconds = toUtc(parts as Parts)
  if (seconds === undefined) return undefined
  return { local: seconds + Number((fraction ?? '').padEnd(3, '0').slice(0, 3)), offset }
}

/** Formats an instant as local time in `zone`: `YYYY-MM-DD HH:MM:SS`. */
export function formatLocalTime(instant: Date, zone: string): string {
  return new Date(instant.getTime() + zoneOffset(instant.getTime(), zone)).toISOString().slice(0, 19).replace('T', ' ')
}

/** Rewrites the basic format in the extended format; returns any other text unchanged. */
function toExtendedFormat(text: string): string {
  const [, year, month, date, hour, minutes, second = '00', fraction = '', offset = ''] = basicFormat.exec(text) ?? []
  return year === undefined ? text : `${year}-${month}-${date}T${hour}:${minutes}:${second}${fraction}${offset}`
}

type Parts = [number, number, number, number, number, number]

/** The parts read as UTC, or undefined if there is no such day or time: JavaScript reads 30 February as 2 March. */
function toUtc([year, month, date, hour, minutes, second]: Parts): number | undefined {
  if (year < 1 || hour > 23 || minutes > 59 || second > 59) return undefined
  const day = new Date(0)
  day.setUTCFullYear(year, month - 1, date)
  if (day.getUTCMonth() !== month - 1 || day.getUTCDate() !== date) return undefined
  return day.getTime() + ((hour * 60 + minutes) * 60 + second) * 1000
}

function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')]
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs
}

/** Tries the offsets of the day before and the day after: a zone changes its offset at most once between them. */
function localToInstant(local: number, zone: string): number {
  const [before, after] = [local - zoneOffset(local - dayMs, zone), local - zoneOffset(local + dayMs, zone)]
  const matches = [before, after].filter((instant) => instant + zoneOffset(instant, zone) === local)
  return matches.length === 0 ? before : Math.max(...matches)
}

function zoneOffset(instant: number, zone: string): number {
  return IANAZone.create(zone).offset(instant) * minuteMs
}
