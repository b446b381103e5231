import { readFileSync } from 'node:fs'

type Placement = 'distributed' | 'reference' | 'local'

/** The tables of `src/docs/growth.md`, one entry for each: | tables | placement | grows with | bytes | kept |. */
export const documented = [
  ...readFileSync('src/docs/growth.md', 'utf8').matchAll(/^\| (`[^|]+`) \| (\w+) \|([^|]*)\|([^|]*)\|([^|]*)\|$/gm),
].flatMap(([, names = '', placement = '', growth = '', bytes = '', kept = '']) =>
  [...names.matchAll(/`(\w+)`/g)].map(([, table = '']) => ({
    table,
    placement: placement as Placement,
    growth: growth.trim(),
    bytes: bytes.trim(),
    kept: kept.trim(),
  })),
)

/** Where the rows of each table are on a sharded database. */
export const placements: ReadonlyMap<string, Placement> = new Map(
  documented.map(({ table, placement }) => [table, placement]),
)

/** What does not grow with people, messages or time. */
const bounded = ['accounts', 'keys and people', 'processes and versions', 'steps of funnels', 'what people create']

type Entry = (typeof documented)[number]

/** Returns the tables that grow without the bytes of a row, or without a retention or the reason for none. */
export function unbounded(entries: readonly Entry[]): string[] {
  return entries
    .filter(({ growth, bytes, kept }) => {
      const isSmall = bytes === 'small' && bounded.includes(growth)
      const isMeasured = /^(\d|its content$)/.test(bytes)
      return growth === '' || !(isSmall || isMeasured) || /^(|until its account is deleted)$/.test(kept)
    })
    .map(({ table }) => table)
}
