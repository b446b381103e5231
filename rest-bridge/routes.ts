import { accountRoutes } from './account/account.routes.ts'
import { audienceRoutes } from './campaigns/audience.routes.ts'
import { campaignRoutes } from './campaigns/campaigns.routes.ts'
import { contactSequenceRoutes } from './contacts/contact-sequences.routes.ts'
import { contactRoutes } from './contacts/contacts.routes.ts'
import { customFieldRoutes } from './contacts/custom-fields.routes.ts'
import { tagRoutes } from './contacts/tags.routes.ts'
import { legacyContactRoutes } from './legacy/contacts.routes.ts'
import { legacySequenceRoutes } from './legacy/sequences.routes.ts'
import { legacyTagRoutes } from './legacy/tags.routes.ts'
import type { Route } from './route.ts'
import { sequenceRoutes } from './sequences/sequences.routes.ts'
import { stageRoutes } from './sequences/stages.routes.ts'

/** Every endpoint of `/v1`, in the specification's order of rooms. */
export const v1Routes: readonly Route[] = [
  ...accountRoutes,
  ...sequenceRoutes,
  ...stageRoutes,
  ...campaignRoutes,
  ...audienceRoutes,
  ...contactRoutes,
  ...contactSequenceRoutes,
  ...tagRoutes,
  ...customFieldRoutes,
]

/** Every endpoint of the unversioned predecessor. */
export const legacyRoutes: readonly Route[] = [...legacySequenceRoutes, ...legacyContactRoutes, ...legacyTagRoutes]
