import { exportOf } from '../db/lists/export.ts'
import { funnels } from './funnel/funnel-list.ts'

/** Exports of this module. */
export const funnelExports = {
  FUNNELS: exportOf(funnels, ['id', 'name', 'type', 'createdAt', 'archivedAt'], { needs: ['funnels:read'] }),
} as const
