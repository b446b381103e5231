import { accountRoutes } from './account/account.routes.ts'
import { contactRoutes } from './contacts/contacts.routes.ts'
import { customFieldRoutes } from './contacts/custom-fields.routes.ts'
import { tagRoutes } from './contacts/tags.routes.ts'
import { legacyContactRoutes } from './legacy/contacts.routes.ts'
import { legacyTagRoutes } from './legacy/tags.routes.ts'
import type { Route } from './route.ts'

/** Every endpoint of `/v1`, in the specification's order of rooms. */
export const v1Routes: readonly Route[] = [...accountRoutes, ...contactRoutes, ...tagRoutes, ...customFieldRoutes]

/** Every endpoint of the unversioned predecessor. */
export const legacyRoutes: readonly Route[] = [...legacyContactRoutes, ...legacyTagRoutes]
