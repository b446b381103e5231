import { IANAZone } from 'luxon'
import { isOnCalendar } from '../kernel/clock.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** ISO 8601 in its basic format: `20261224T180000Z`, seconds, fraction and offset optional. */
const basic = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)([.,]\d{1,9})?)?(Z|[+-]\d\d(?:\d\d)?)?$/

/** `2026-12-24T18:00`, with seconds, fractions and an offset where wanted; or `2026-12-24 18:00`, seconds where wanted. */
const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?| (\d\d):(\d\d)(?::(\d\d))?)$/

/**
 * The instant that a client's date and time names, or undefined where it cannot be read or does not exist.
 *
 * Without an offset it is what the clocks of `zone` show. Where these show it twice, as in the night that summer time ends,
 * it is the second time; where they pass over it, it is as much later as they were put forward: 02:30 is 03:30.
 */
export function readScheduleTime(text: string, zone: string): Date | undefined {
  const [, year, month, date, hourT, minuteT, secondT, fraction, offset, hour, minutes, second] =
    form.exec(extended(text)) ?? []
  if (year === undefined) return undefined
  const parts = [year, month, date, hourT ?? hour, minuteT ?? minutes, secondT ?? second ?? '0'].map(Number)
  const clock = asUtc(parts as Parts)
  if (clock === undefined) return undefined
  const local = clock + Number((fraction ?? '').padEnd(3, '0').slice(0, 3))
  const ahead = offset === undefined ? local - inZone(local, zone) : offsetOf(offset)
  const instant = new Date(local - (ahead ?? Number.NaN))
  return isOnCalendar(instant) ? instant : undefined
}

/** The basic format written in the extended one; any other text as it is. */
function extended(text: string): string {
  const [, year, month, date, hour, minutes, second = '00', fraction = '', offset = ''] = basic.exec(text) ?? []
  return year === undefined ? text : `${year}-${month}-${date}T${hour}:${minutes}:${second}${fraction}${offset}`
}

/** An instant as the clocks of `zone` show it: `YYYY-MM-DD HH:MM:SS`. */
export function asClock(instant: Date, zone: string): string {
  return new Date(instant.getTime() + shift(instant.getTime(), zone)).toISOString().slice(0, 19).replace('T', ' ')
}

type Parts = [number, number, number, number, number, number]

/** The parts as if they were UTC, or undefined where there is no such day or time: JavaScript reads 30 February as 2 March. */
function asUtc([year, month, date, hour, minutes, second]: Parts): number | undefined {
  if (year < 1 || hour > 23 || minutes > 59 || second > 59) return undefined
  const read = new Date(0)
  read.setUTCFullYear(year, month - 1, date)
  if (read.getUTCMonth() !== month - 1 || read.getUTCDate() !== date) return undefined
  return read.getTime() + ((hour * 60 + minutes) * 60 + second) * 1000
}

function offsetOf(text: string): number | undefined {
  if (text === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(3).replace(':', '') || '0')]
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minute
}

/** A zone's clocks are put forward or back at most once in the two days around a time: it is read with both offsets. */
function inZone(local: number, zone: string): number {
  const [before, after] = [local - shift(local - day, zone), local - shift(local + day, zone)]
  const real = [before, after].filter((instant) => instant + shift(instant, zone) === local)
  return real.length === 0 ? before : Math.max(...real)
}

function shift(instant: number, zone: string): number {
  return IANAZone.create(zone).offset(instant) * minute
}
