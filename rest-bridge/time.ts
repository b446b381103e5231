/** Gives a time as most of `/v1` prints it, to the microsecond: the graph's milliseconds and three zeros. */
export function isoMicroseconds(time: string): string {
  // The graph writes UTC with milliseconds already; only another form is read and written anew.
  const inUtc = time.length === 24 && time.endsWith('Z') ? time : new Date(time).toISOString()
  return `${inUtc.slice(0, -1)}000Z`
}

/** Gives a time as `YYYY-MM-DD HH:MM:SS`, in UTC. */
export function plainTime(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** True for a day that the calendar has: 2026-02-30 is none, though `Date` reads it as 2 March, nor is any of the year 0. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}
