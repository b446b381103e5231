import { builder } from '../../graphql/schema/builder.ts'
import { idsText, requiredId } from '../../graphql/schema/descriptions.ts'
import {
  DateFilterInput,
  filterKind,
  filterOf,
  maxExpandedConditions,
  NumberFilterInput,
  TextFilterInput,
} from '../../graphql/schema/filter.ts'
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

filterKind('customFields', [CustomFieldFilterInput])
filterKind('segments', SegmentMembershipFilterInput)

export const ContactFilter = filterOf('ContactFilterInput', 'contacts', contactFilters.contactFilter, {
  id: 'The contact itself.',
  ...mapTexts(({ description }) => `${description}. It exists if it is not empty.`),
  email: 'E-mail address.',
  emailMarketing: 'Whether the contact consents to marketing e-mail.',
  gdpr: 'Whether the contact consents to the processing of personal data.',
  createdAt: 'Time at which the contact was created.',
  updatedAt: 'Time of the last change to a field of the contact.',
  search: 'Words in any order, in the e-mail address, first and last name, company and phone number.',
  tags: 'Tags of the contact.',
  segments:
    'Segments that the contact is in. Needs the scopes of the fields of their filters. Not allowed in the filter of a segment.',
  customFields: 'Custom fields of the contact. All of these conditions must match. An empty list adds no condition.',
  sequences: 'Sequences in which the contact is currently enrolled.',
  forms: 'Forms that the contact completed.',
  campaignsSent: 'Campaigns that were sent to the contact.',
  campaignsOpened: 'Campaigns that the contact opened.',
  campaignsNotOpened: 'Campaigns that were sent to the contact and that it did not open.',
  campaignsClicked: 'Campaigns in which the contact clicked a link.',
  campaignsNotClicked: 'Campaigns that were sent to the contact and in which it clicked no link.',
  hasOrders: 'Whether a customer that is linked to the contact has an order.',
})

filterKind('contact', ContactFilter)
