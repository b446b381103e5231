// Generated from the `events.ts` of all modules by `npm run schema:print`: change those.

/** Kind of each event type: the GraphQL type of its events. */
export interface EventKinds {
  'webhook.test': 'WebhookEvent'
  'webhook.created': 'WebhookChangeEvent'
  'webhook.updated': 'WebhookChangeEvent'
  'webhook.disabled': 'WebhookChangeEvent'
  'webhook.deleted': 'WebhookChangeEvent'
  'quota.reached': 'QuotaEvent'
  'account.updated': 'AccountChangeEvent'
  'api_key.created': 'ApiKeyChangeEvent'
  'api_key.updated': 'ApiKeyChangeEvent'
  'api_key.disabled': 'ApiKeyChangeEvent'
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
  'contact.topic_joined': 'ContactTopicEvent'
  'contact.topic_left': 'ContactTopicEvent'
  'contact.field_updated': 'ContactFieldEvent'
  'tag.created': 'TagChangeEvent'
  'tag.updated': 'TagChangeEvent'
  'tag.deleted': 'TagChangeEvent'
  'topic.created': 'TopicChangeEvent'
  'topic.updated': 'TopicChangeEvent'
  'topic.deleted': 'TopicChangeEvent'
  'custom_field.created': 'CustomFieldChangeEvent'
  'custom_field.updated': 'CustomFieldChangeEvent'
  'custom_field.deleted': 'CustomFieldChangeEvent'
  'segment.created': 'SegmentChangeEvent'
  'segment.updated': 'SegmentChangeEvent'
  'segment.deleted': 'SegmentChangeEvent'
  'media.created': 'MediaEvent'
  'media.updated': 'MediaEvent'
  'media.deleted': 'MediaEvent'
  'reusable_block.created': 'ReusableBlockChangeEvent'
  'reusable_block.updated': 'ReusableBlockChangeEvent'
  'reusable_block.deleted': 'ReusableBlockChangeEvent'
  'brand.updated': 'BrandChangeEvent'
  'email_template.created': 'EmailTemplateChangeEvent'
  'email_template.updated': 'EmailTemplateChangeEvent'
  'email_template.deleted': 'EmailTemplateChangeEvent'
  'email.sent': 'MessageEvent'
  'email.complained': 'MessageEvent'
  'email.opened': 'MessageEvent'
  'email.bounced': 'MessageEvent'
  'email.clicked': 'MessageEvent'
  'sender_domain.created': 'SenderDomainChangeEvent'
  'sender_domain.verified': 'SenderDomainChangeEvent'
  'sender_domain.failed': 'SenderDomainChangeEvent'
  'sender_domain.updated': 'SenderDomainChangeEvent'
  'sender_domain.deleted': 'SenderDomainChangeEvent'
  'sender_problem.created': 'SenderProblemChangeEvent'
  'sender_problem.deleted': 'SenderProblemChangeEvent'
  'dkim_key.created': 'DkimKeyChangeEvent'
  'dkim_key.updated': 'DkimKeyChangeEvent'
  'dkim_key.deleted': 'DkimKeyChangeEvent'
  'suppression.created': 'SuppressionChangeEvent'
  'suppression.updated': 'SuppressionChangeEvent'
  'suppression.deleted': 'SuppressionChangeEvent'
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
  'order.partially_refunded': 'OrderEvent'
  'transaction.completed': 'TransactionEvent'
  'transaction.refunded': 'TransactionEvent'
  'transaction.error': 'TransactionEvent'
  'transaction.created': 'TransactionChangeEvent'
  'transaction.updated': 'TransactionChangeEvent'
  'billing_profile.updated': 'BillingProfileChangeEvent'
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
  'funnel.visited': 'FunnelVisitsEvent'
  'funnel.created': 'FunnelChangeEvent'
  'funnel.updated': 'FunnelChangeEvent'
  'funnel.deleted': 'FunnelChangeEvent'
  'funnel_step.created': 'FunnelStepChangeEvent'
  'funnel_step.updated': 'FunnelStepChangeEvent'
  'funnel_step.deleted': 'FunnelStepChangeEvent'
}

/** `data` of webhook messages that have the data of the event. */
export interface EventDataOfKind {
  AccountChangeEvent: { account_id: number }
  ApiKeyChangeEvent: { api_key_id: number }
  BillingProfileChangeEvent: { account_id: number }
  BrandChangeEvent: { account_id: number }
  CampaignChangeEvent: { campaign_id: number }
  ContactFieldEvent: { contact_id: number; custom_field_id: number; value: string }
  ContactTagEvent: { contact_id: number; tag_id: number }
  ContactTopicEvent: { contact_id: number; topic_id: number }
  CustomFieldChangeEvent: { custom_field_id: number }
  DkimKeyChangeEvent: { dkim_key_id: number }
  EmailTemplateChangeEvent: { email_template_id: number }
  FormChangeEvent: { form_id: number }
  FunnelChangeEvent: { funnel_id: number }
  FunnelOptInEvent: { funnel_id: number; step_id: number; contact_id: number }
  FunnelStepChangeEvent: { step_id: number; funnel_id: number }
  FunnelVisitsEvent: { funnel_id: number; visits: number }
  MediaEvent: { media_id: number }
  ReusableBlockChangeEvent: { reusable_block_id: number }
  SegmentChangeEvent: { segment_id: number }
  SenderDomainChangeEvent: { sender_domain_id: number }
  SenderProblemChangeEvent: { sender_problem_id: number }
  SequenceChangeEvent: { sequence_id: number }
  SequenceEvent: { contact_id: number; sequence_id: number }
  SequenceStageChangeEvent: { stage_id: number; sequence_id: number }
  SuppressionChangeEvent: { suppression_id: number; contact_id: number | null }
  TagChangeEvent: { tag_id: number }
  TopicChangeEvent: { topic_id: number }
  TransactionChangeEvent: { transaction_id: number }
  UserEvent: { user_id: number }
  WebhookChangeEvent: { webhook_id: number }
  WebhookEvent: { webhook_id: number }
}
