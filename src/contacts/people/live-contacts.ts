import type { LiveDefinition } from '../../events/index.ts'
import type { ContactFilter } from '../filters/contact-filter.ts'
import { ports } from '../ports.ts'
import { mapTexts } from '../record/fields.ts'
import { contacts } from './contact-list.ts'

const ofSubmissions = {
  changes: ['form_submission.started', 'form_submission.updated', 'form_submission.completed'],
  resets: ['form.deleted'],
} as const
const ofOrders = {
  changes: ['order.created', 'order.completed', 'order.cancelled', 'order.refunded', 'order.partially_refunded'],
} as const
const ofSubscriptions = {
  changes: ['subscription.created', 'subscription.renewed', 'subscription.payment_failed', 'subscription.ended'],
} as const
const ofSuppressions = { changes: ['suppression.created', 'suppression.updated', 'suppression.deleted'] } as const
const ofCampaigns = { changes: ['email.sent', 'email.opened', 'email.clicked'], resets: ['campaign.deleted'] } as const
const ofStages = {
  changes: ['email.opened', 'email.clicked'],
  resets: ['sequence.deleted', 'sequence_stage.deleted'],
} as const

/** The live list of contacts. Activity, visits and the progress within sequences are stored without an event each time. */
export const liveContacts: LiveDefinition<ContactFilter> = {
  list: contacts,
  needs: 'contacts:read',
  subject: 'contactId',
  changes: [
    'contact.created',
    'contact.updated',
    'contact.deleted',
    'contact.unsubscribed',
    'contact.resubscribed',
    'contact.tag_added',
    'contact.tag_removed',
    'contact.topic_joined',
    'contact.topic_left',
    'contact.field_updated',
  ],
  fields: {
    ...mapTexts(() => 'row' as const),
    id: 'row',
    timeZone: 'row',
    locale: 'row',
    email: 'row',
    emailMarketing: 'row',
    gdpr: 'row',
    createdAt: 'row',
    updatedAt: 'row',
    lastActiveAt: null,
    search: 'row',
    tags: { resets: ['tag.deleted'] },
    segments: { resets: ['segment.updated', 'segment.deleted'] },
    topics: { resets: ['topic.updated', 'topic.deleted'] },
    topicsLeft: { resets: ['topic.deleted'] },
    customFields: { resets: ['custom_field.updated', 'custom_field.deleted'] },
    sequences: {
      changes: ['sequence.subscribed', 'sequence.unsubscribed', 'sequence.completed'],
      resets: ['sequence.deleted'],
    },
    nextStages: null,
    stagesSent: null,
    stagesOpened: ofStages,
    stagesClicked: ofStages,
    forms: ofSubmissions,
    outcomes: ofSubmissions,
    funnelsVisited: null,
    stepsVisited: null,
    campaignsSent: ofCampaigns,
    campaignsOpened: ofCampaigns,
    campaignsNotOpened: ofCampaigns,
    campaignsClicked: ofCampaigns,
    campaignsNotClicked: ofCampaigns,
    hasOrders: ofOrders,
    purchases: ofOrders,
    products: ofOrders,
    subscriptionStatus: ofSubscriptions,
    suppressed: ofSuppressions,
    suppressionReason: ofSuppressions,
    suppressionCause: ofSuppressions,
  },
  related: {
    orderId: (ctx, ids) => ports.selectOwners(ctx, 'ORDER', ids),
    subscriptionId: (ctx, ids) => ports.selectOwners(ctx, 'SUBSCRIPTION', ids),
    submissionId: (ctx, ids) => ports.selectOwners(ctx, 'SUBMISSION', ids),
  },
}
