// Generated from the `events.ts` of all modules by `npm run schema:print`: change those.

/** Kind of each event type: the GraphQL type of its events. */
export interface EventKinds {
  'webhook.test': 'WebhookEvent'
  'quota.reached': 'QuotaEvent'
  'user.invited': 'UserEvent'
  'user.updated': 'UserEvent'
  'user.removed': 'UserEvent'
  'contact.created': 'ContactEvent'
  'contact.updated': 'ContactEvent'
  'contact.deleted': 'ContactEvent'
  'contact.erased': 'ContactEvent'
  'contact.unsubscribed': 'ContactEvent'
  'contact.resubscribed': 'ContactEvent'
  'contact.tag_added': 'ContactTagEvent'
  'contact.tag_removed': 'ContactTagEvent'
  'contact.field_updated': 'ContactFieldEvent'
  'tag.created': 'TagChangeEvent'
  'tag.updated': 'TagChangeEvent'
  'tag.deleted': 'TagChangeEvent'
  'custom_field.created': 'CustomFieldChangeEvent'
  'custom_field.updated': 'CustomFieldChangeEvent'
  'custom_field.deleted': 'CustomFieldChangeEvent'
  'segment.created': 'SegmentChangeEvent'
  'segment.updated': 'SegmentChangeEvent'
  'segment.deleted': 'SegmentChangeEvent'
  'email.sent': 'MessageEvent'
  'email.complained': 'MessageEvent'
  'email.opened': 'MessageEvent'
  'email.bounced': 'MessageEvent'
  'email.clicked': 'MessageEvent'
  'sequence.subscribed': 'SequenceEvent'
  'sequence.unsubscribed': 'SequenceEvent'
  'sequence.completed': 'SequenceEvent'
  'sequence.created': 'SequenceChangeEvent'
  'sequence.updated': 'SequenceChangeEvent'
  'sequence.deleted': 'SequenceChangeEvent'
  'sequence_stage.created': 'SequenceStageChangeEvent'
  'sequence_stage.updated': 'SequenceStageChangeEvent'
  'sequence_stage.deleted': 'SequenceStageChangeEvent'
  'campaign.scheduled': 'CampaignEvent'
  'campaign.unscheduled': 'CampaignEvent'
  'campaign.sending': 'CampaignEvent'
  'campaign.sent': 'CampaignEvent'
  'campaign.error': 'CampaignEvent'
  'campaign.created': 'CampaignChangeEvent'
  'campaign.updated': 'CampaignChangeEvent'
  'campaign.deleted': 'CampaignChangeEvent'
  'order.created': 'OrderEvent'
  'order.completed': 'OrderEvent'
  'order.cancelled': 'OrderEvent'
  'order.refunded': 'OrderEvent'
  'transaction.completed': 'TransactionEvent'
  'transaction.refunded': 'TransactionEvent'
  'transaction.error': 'TransactionEvent'
  'invoice.created': 'InvoiceEvent'
  'invoice.paid': 'InvoiceEvent'
  'credit_note.created': 'CreditNoteEvent'
  'subscription.created': 'BillingSubscriptionEvent'
  'subscription.renewed': 'BillingSubscriptionEvent'
  'subscription.payment_failed': 'BillingSubscriptionEvent'
  'subscription.ended': 'BillingSubscriptionEvent'
  'form_submission.started': 'FormSubmissionEvent'
  'form_submission.updated': 'FormSubmissionEvent'
  'form_submission.completed': 'FormSubmissionEvent'
  'form.created': 'FormChangeEvent'
  'form.updated': 'FormChangeEvent'
  'form.deleted': 'FormChangeEvent'
  'funnel.opt_in': 'FunnelOptInEvent'
  'funnel.created': 'FunnelChangeEvent'
  'funnel.updated': 'FunnelChangeEvent'
  'funnel.deleted': 'FunnelChangeEvent'
  'funnel_step.created': 'FunnelStepChangeEvent'
  'funnel_step.updated': 'FunnelStepChangeEvent'
  'funnel_step.deleted': 'FunnelStepChangeEvent'
}

/** `data` of webhook messages that have the data of the event. */
export interface EventDataOfKind {
  CampaignChangeEvent: { campaign_id: number }
  ContactFieldEvent: { contact_id: number; custom_field_id: number; value: string }
  ContactTagEvent: { contact_id: number; tag_id: number }
  CustomFieldChangeEvent: { custom_field_id: number }
  FormChangeEvent: { form_id: number }
  FunnelChangeEvent: { funnel_id: number }
  FunnelOptInEvent: { funnel_id: number; step_id: number; contact_id: number }
  FunnelStepChangeEvent: { step_id: number; funnel_id: number }
  SegmentChangeEvent: { segment_id: number }
  SequenceChangeEvent: { sequence_id: number }
  SequenceEvent: { contact_id: number; sequence_id: number }
  SequenceStageChangeEvent: { stage_id: number; sequence_id: number }
  TagChangeEvent: { tag_id: number }
  UserEvent: { user_id: number }
  WebhookEvent: { webhook_id: number }
}
