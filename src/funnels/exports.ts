import { exportOf } from '../db/export.ts'
import { funnels } from './funnel-list.ts'

/** Exports of this module. */
export const funnelExports = {
  FUNNELS: exportOf(funnels, ['id', 'name', 'type', 'createdAt', 'archivedAt'], { needs: ['funnels:read'] }),
} as const
