import { exportOf } from '../db/lists/export.ts'
import { webhooks } from './webhooks/webhook-list.ts'

/** The exports of this module. Webhooks are exported without their secrets. */
export const eventExports = {
  WEBHOOKS: exportOf(
    webhooks,
    ['id', 'url', 'events', 'description', 'active', 'disabledAt', 'disabledReason', 'createdAt'],
    { needs: ['events:read'] },
  ),
} as const
