import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type FunnelFilter, funnels } from './funnel-list.ts'

const { number, text, time } = column

const allFunnels: Export<FunnelFilter> = {
  needs: ['funnels:read'],
  list: funnels,
  shape: () => ({
    row: sql`n.name, n.type, n.created_at`,
    columns: [number('id'), text('name'), text('type', word(sql`p.type`)), time('created_at')],
  }),
}

/** Exports of this module. */
export const funnelExports = { FUNNELS: allFunnels } as const
