import { builder } from '../../graphql/schema/builder.ts'
import { idsText, requiredId } from '../../graphql/schema/descriptions.ts'
import {
  DateFilterInput,
  filterKind,
  filterOf,
  maxExpandedConditions,
  NumberFilterInput,
  TextFilterInput,
  TimeFilterInput,
} from '../../graphql/schema/filter.ts'
import type { PurchasesFilter } from '../ports.ts'
import { mapTexts } from '../record/fields.ts'
import * as contactFilters from './contact-filter.ts'
import type { CustomFieldFilter } from './custom-field-filter.ts'
import type { SegmentMembership } from './segment-membership.ts'

const CustomFieldFilterInput = builder.inputRef<CustomFieldFilter>('CustomFieldFilterInput').implement({
  description:
    'Condition on the value of a custom field. All operators that are set must match, and they must fit the type of the field. A contact without a value matches only `ne` and `exists: false`.',
  fields: (t) => ({
    id: t.id(requiredId('the custom field')),
    text: t.field({ type: TextFilterInput, description: 'For the types TEXT, SELECT and URL.' }),
    number: t.field({ type: NumberFilterInput, description: 'For the type NUMBER.' }),
    date: t.field({ type: DateFilterInput, description: 'For the type DATE.' }),
    flag: t.boolean({ description: 'For the type BOOLEAN: the value is true or false.' }),
    exists: t.boolean({ description: 'Whether the contact has a value. For all types.' }),
  }),
})

const SegmentMembershipFilterInput = builder.inputRef<SegmentMembership>('SegmentMembershipFilterInput').implement({
  description: `Condition on the segments of a contact. ${idsText('segments')} All operators that are set must match. No contact is in an unknown segment. The filters of the segments count towards the maximum of ${maxExpandedConditions} conditions.`,
  fields: (t) => ({
    all: t.idList({ description: 'In all of these. An empty list adds no condition.' }),
    any: t.idList({ description: 'In at least one of these. An empty list matches nothing.' }),
    none: t.idList({ description: 'In none of these. An empty list adds no condition.' }),
  }),
})

const PurchasesFilterInput = builder.inputRef<PurchasesFilter>('PurchasesFilterInput').implement({
  description:
    'Condition on the completed orders of a contact, as `Contact.purchases` returns them. All operators that are set must match. A contact without completed orders has 0 orders and the value 0, and no times.',
  fields: (t) => ({
    orders: t.field({ type: NumberFilterInput, description: 'Number of orders, in all currencies.' }),
    lifetimeValue: t.field({
      type: NumberFilterInput,
      description: 'Total of the orders in `currency`, less refunds.',
    }),
    currency: t.field({
      type: 'CurrencyCode',
      description: 'Currency of `lifetimeValue`. Defaults to the currency of the account.',
    }),
    firstOrderAt: t.field({ type: TimeFilterInput, description: 'Time of the first order.' }),
    lastOrderAt: t.field({ type: TimeFilterInput, description: 'Time of the last order.' }),
  }),
})

filterKind('purchases', PurchasesFilterInput)
filterKind('customFields', [CustomFieldFilterInput])
filterKind('segments', SegmentMembershipFilterInput)

export const ContactFilter = filterOf('ContactFilterInput', 'contacts', contactFilters.contactFilter, {
  id: 'The contact itself.',
  ...mapTexts(({ description }) => `${description}. It exists if it is not empty.`),
  timeZone: 'Time zone, whether it was given, observed or derived. It exists if it is known.',
  locale:
    'Language and region, such as pt-BR. `startsWith: "pt"` matches a language in all regions. It exists if it is known.',
  email: 'E-mail address.',
  emailMarketing: 'Whether the contact consents to marketing e-mail.',
  gdpr: 'Whether the contact consents to the processing of personal data.',
  createdAt: 'Time at which the contact was created.',
  updatedAt: 'Time of the last change to a field of the contact.',
  lastActiveAt:
    'Time at which the contact last opened or clicked a message, visited a page, answered a form or ordered, accurate to the hour. `not: { lastActiveAt: { withinDays: 90 } }` matches inactive contacts, including those that never were active.',
  search: 'Words in any order, in the e-mail address, first and last name, company and phone number.',
  tags: 'Tags of the contact.',
  segments:
    'Segments that the contact is in. Needs the scopes of the fields of their filters. Not allowed in the filter of a segment.',
  topics:
    'Topics whose messages are sent to the contact if it consents to marketing e-mail: those of EVERYONE that it did not leave, and others that it joined.',
  topicsLeft: 'Topics that the contact left.',
  customFields: 'Custom fields of the contact. All of these conditions must match. An empty list adds no condition.',
  sequences: 'Sequences in which the contact is currently enrolled.',
  nextStages: 'Stages for which the contact waits: the next ones of its active enrolments.',
  stagesSent: 'Stages whose e-mail was sent to the contact.',
  stagesOpened: 'Stages whose e-mail the contact opened.',
  stagesClicked: 'Stages in whose e-mail the contact clicked a link.',
  forms: 'Forms that the contact completed.',
  outcomes: 'Outcomes with which the contact completed a form.',
  funnelsVisited: 'Funnels of which the contact visited a page. Visits are deleted after their retention.',
  stepsVisited: 'Steps whose page the contact visited. Visits are deleted after their retention.',
  campaignsSent: 'Campaigns that were sent to the contact.',
  campaignsOpened: 'Campaigns that the contact opened.',
  campaignsNotOpened: 'Campaigns that were sent to the contact and that it did not open.',
  campaignsClicked: 'Campaigns in which the contact clicked a link.',
  campaignsNotClicked: 'Campaigns that were sent to the contact and in which it clicked no link.',
  hasOrders: 'Whether a customer that is linked to the contact has an order.',
  purchases: 'Completed orders of the contact: their number, value and times.',
  products:
    'Product that the contact bought: the name of a line of a completed order. `ne` means that it bought no such product.',
  subscriptionStatus: 'The contact has a subscription with one of these statuses.',
  suppressed: 'Whether the e-mail address is suppressed. Addresses that only an erasure left suppressed do not count.',
  suppressionReason: 'The e-mail address is suppressed for one of these reasons.',
  suppressionCause: 'The e-mail address is suppressed because of a bounce with one of these causes.',
})

filterKind('contact', ContactFilter)
