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
