/**
 * One server in one round: responses per second, the duration of each, and the processor time per response in
 * milliseconds.
 */
export interface Side {
  perSecond: number
  times: number[]
  cpu: number
}

/** One round: both servers, one after the other. */
export interface Measured {
  ours: Side
  theirs: Side
}

/** Minimum throughput relative to the baseline. */
const leastThroughput = 0.5

/** Maximum time relative to the first page. */
const mostLatency = 1.2

/** Collects results for the report. */
export interface Report {
  /** `least` is the minimum throughput relative to the other server. Defaults to 0.5. */
  throughput(name: string, rounds: Measured[], least?: number): void
  latency(name: string, times: { deep: number; first: number }): void
  /** Prints the table. Returns whether every target is met. */
  print(): boolean
}

export function newReport(): Report {
  const rows: Record<string, string>[] = []
  let isMet = true
  const verdict = (isGood: boolean) => {
    isMet &&= isGood
    return isGood ? 'met' : 'MISSED'
  }
  return {
    throughput(name, rounds, least = leastThroughput) {
      const ratio = median(rounds.map(({ ours, theirs }) => ours.perSecond / theirs.perSecond))
      const cpu = median(rounds.map(({ ours, theirs }) => theirs.cpu / ours.cpu))
      const [ours, theirs] = [rounds.map((round) => round.ours), rounds.map((round) => round.theirs)]
      rows.push({
        what: name,
        'ours/s': median(ours.map((side) => side.perSecond)).toFixed(0),
        'baseline/s': median(theirs.map((side) => side.perSecond)).toFixed(0),
        ratio: ratio.toFixed(2),
        aim: `≥ ${least}`,
        verdict: verdict(ratio >= least),
        'by CPU': cpu.toFixed(2),
        'ours p50/p99 ms': percentiles(ours),
        'baseline p50/p99 ms': percentiles(theirs),
      })
    },
    latency(name, { deep, first }) {
      const ratio = deep / first
      rows.push({
        what: name,
        ratio: ratio.toFixed(2),
        aim: `≤ ${mostLatency}`,
        verdict: verdict(ratio <= mostLatency),
        'ours p50/p99 ms': `${deep.toFixed(2)} (first page ${first.toFixed(2)})`,
      })
    },
    print() {
      print(rows)
      console.log(
        '\nratio: our throughput to that of the baseline, or our time to that of the first page; median of rounds.',
      )
      console.log(
        'by CPU: the same from the processor time of each server, which other work on the machine hardly moves.',
      )
      return isMet
    },
  }
}

/** Returns the median. */
export function median(values: number[]): number {
  return quantile(values, 0.5)
}

function percentiles(sides: Side[]): string {
  const times = sides.flatMap((side) => side.times)
  return `${quantile(times, 0.5).toFixed(1)} / ${quantile(times, 0.99).toFixed(1)}`
}

export function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}

function print(rows: Record<string, string>[]): void {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [Object.fromEntries(columns.map((column) => [column, column])), ...rows]
  const widths = columns.map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines) {
    console.log(
      columns
        .map((column, place) => (line[column] ?? '').padEnd(widths[place] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}
