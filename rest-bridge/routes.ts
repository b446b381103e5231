import { accountRoutes } from './account/account.routes.ts'
import { exportRoutes } from './account/exports.routes.ts'
import { audienceRoutes } from './campaigns/audience.routes.ts'
import { campaignTestRoutes } from './campaigns/campaign-test.routes.ts'
import { campaignRoutes } from './campaigns/campaigns.routes.ts'
import { recipientRoutes } from './campaigns/recipients.routes.ts'
import { contactSequenceRoutes } from './contacts/contact-sequences.routes.ts'
import { contactRoutes } from './contacts/contacts.routes.ts'
import { customFieldRoutes } from './contacts/custom-fields.routes.ts'
import { importRoutes } from './contacts/imports.routes.ts'
import { tagRoutes } from './contacts/tags.routes.ts'
import type { Route } from './envelope/route.ts'
import { webhookRoutes } from './events/webhooks.routes.ts'
import { billingRoutes } from './finance/billing.routes.ts'
import { orderRoutes } from './finance/orders.routes.ts'
import { subscriptionRoutes } from './finance/subscriptions.routes.ts'
import { formRoutes } from './forms/forms.routes.ts'
import { submissionRoutes } from './forms/submissions.routes.ts'
import { funnelRoutes } from './funnels/funnels.routes.ts'
import { funnelStatisticsRoutes } from './funnels/statistics.routes.ts'
import { stepRoutes } from './funnels/steps.routes.ts'
import { legacyContactRoutes } from './legacy/contacts.routes.ts'
import { legacySalesRoutes } from './legacy/sales.routes.ts'
import { legacySequenceRoutes } from './legacy/sequences.routes.ts'
import { legacyTagRoutes } from './legacy/tags.routes.ts'
import { legacyWebhookRoutes } from './legacy/webhooks.routes.ts'
import { sequenceRoutes } from './sequences/sequences.routes.ts'
import { stageRoutes } from './sequences/stages.routes.ts'

/** The endpoints of `/v1`, in the order of the specification. */
export const v1Routes: readonly Route[] = [
  ...accountRoutes,
  ...exportRoutes,
  ...sequenceRoutes,
  ...stageRoutes,
  ...campaignRoutes,
  ...campaignTestRoutes,
  ...recipientRoutes,
  ...audienceRoutes,
  ...funnelRoutes,
  ...stepRoutes,
  ...funnelStatisticsRoutes,
  ...contactRoutes,
  ...importRoutes,
  ...contactSequenceRoutes,
  ...tagRoutes,
  ...customFieldRoutes,
  ...formRoutes,
  ...submissionRoutes,
  ...orderRoutes,
  ...billingRoutes,
  ...subscriptionRoutes,
  ...webhookRoutes,
]

/** The endpoints of the legacy, unversioned API. */
export const legacyRoutes: readonly Route[] = [
  ...legacySequenceRoutes,
  ...legacyContactRoutes,
  ...legacyTagRoutes,
  ...legacySalesRoutes,
  ...legacyWebhookRoutes,
]
