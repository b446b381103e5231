import { expect } from 'vitest'
import { accountAnnouncements } from './account-announcements.ts'
import { type Announcement, suppressed } from './mutations.ts'
import { salesAnnouncements } from './sales-announcements.ts'

/** The id of the entry in the log of changes. */
const changes = [expect.any(String)]

/** The events of each mutation that changes something. */
export const announcements: Readonly<Record<string, Announcement>> = {
  ...accountAnnouncements,
  webhookCreate: {
    input: () => ({ url: 'https://hook.invalid/new' }),
    select: 'secret',
    events: () => [['webhook.created', { webhookId: expect.any(Number) }]],
  },
  webhookUpdate: {
    input: ({ webhook }) => ({ id: webhook, active: true, rotateSecret: true }),
    select: 'secret',
    events: ({ webhook }) => [['webhook.updated', { webhookId: webhook }]],
  },
  webhookTest: {
    input: ({ webhook }) => ({ id: webhook }),
    select: 'delivery { id }',
    events: ({ webhook }) => [['webhook.test', { webhookId: webhook }]],
  },
  // The deliveries of a webhook have no events: they are the effects of events.
  webhookReplay: { input: ({ delivery }) => ({ deliveryId: delivery }), select: 'replayed', events: () => [] },
  webhookDelete: {
    input: ({ webhook }) => ({ id: webhook }),
    select: 'deletedWebhookId',
    events: ({ webhook }) => [['webhook.deleted', { webhookId: webhook }]],
  },
  contactCreate: {
    input: ({ tag, field, sequence }) => ({
      email: 'new@example.com',
      emailMarketing: true,
      addTagIds: [tag],
      addSequenceIds: [sequence],
      customFields: [{ customFieldId: field, value: 'x' }],
    }),
    select: 'contact { id }',
    events: ({ tag, field, sequence }) => [
      ['contact.created', { contactId: expect.any(Number), changes }],
      ['contact.tag_added', { contactId: expect.any(Number), tagId: tag, changes }],
      ['contact.field_updated', { contactId: expect.any(Number), customFieldId: field, value: 'x', changes }],
      ['sequence.subscribed', { contactId: expect.any(Number), sequenceId: sequence }],
    ],
  },
  contactUpsert: {
    input: () => ({ email: 'ada@example.com', city: 'Paris' }),
    select: 'created',
    events: ({ contact }) => [['contact.updated', { contactId: contact, changes }]],
  },
  contactUpdate: {
    input: ({ contact }) => ({ contact: { id: contact }, emailMarketing: true }),
    select: 'contact { id }',
    events: ({ contact }) => [
      ['contact.updated', { contactId: contact, changes }],
      ['contact.resubscribed', { contactId: contact, changes }],
    ],
  },
  contactDelete: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'deleted',
    events: ({ contact }) => [['contact.deleted', { contactId: contact }]],
  },
  contactErase: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'contactErasure { id }',
    events: ({ contact }) => [['contact.deleted', { contactId: contact }]],
  },
  contactExport: { input: ({ contact }) => ({ contact: { id: contact } }), select: 'url', events: () => [] },
  contactMerge: {
    input: ({ contact, other }) => ({ contact: { id: contact }, into: { id: other } }),
    select: 'contact { id }',
    events: ({ contact, other, sequence }) => [
      ['sequence.subscribed', { contactId: other, sequenceId: sequence }],
      ['contact.deleted', { contactId: contact }],
      ['contact.updated', { contactId: other }],
    ],
  },
  contactUnsubscribe: {
    input: ({ contact }) => ({ contact: { id: contact } }),
    select: 'contact { id }',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  contactImportCreate: {
    input: ({ tag, sequence }) => ({ csv: 'email\nnew@example.com\n', addTagIds: [tag], addSequenceIds: [sequence] }),
    select: 'contactImport { id }',
    // Its effects on contacts are emitted later by a job.
    events: () => [['contact_import.progress', { importId: expect.any(Number) }]],
  },
  contactImportStart: {
    input: ({ reviewed }) => ({ id: reviewed }),
    select: 'contactImport { id }',
    events: ({ reviewed }) => [['contact_import.progress', { importId: reviewed }]],
  },
  contactsBulk: {
    input: ({ contact, tag }) => ({ contacts: { ids: [contact] }, action: { addTagIds: [tag] } }),
    select: 'bulkJob { id }',
    // Its effects on contacts are emitted later by a job.
    events: () => [['bulk_job.progress', { bulkJobId: expect.any(Number) }]],
  },
  bulkJobCancel: {
    input: ({ bulkJob }) => ({ id: bulkJob }),
    select: 'bulkJob { id }',
    events: ({ bulkJob }) => [['bulk_job.progress', { bulkJobId: bulkJob }]],
  },
  contactTagAdd: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: ({ contact, tag }) => [['contact.tag_added', { contactId: contact, tagId: tag, changes }]],
  },
  contactTagRemove: {
    input: ({ contact, tag }) => ({ contact: { id: contact }, tagId: tag }),
    select: 'tag { id }',
    events: () => [],
  },
  contactTopicJoin: {
    input: ({ contact, topic }) => ({ contact: { id: contact }, topicId: topic }),
    select: 'topic { id }',
    events: ({ contact, topic }) => [['contact.topic_joined', { contactId: contact, topicId: topic }]],
  },
  contactTopicLeave: {
    input: ({ contact, topic }) => ({ contact: { id: contact }, topicId: topic }),
    select: 'topic { id }',
    events: ({ contact, topic }) => [['contact.topic_left', { contactId: contact, topicId: topic }]],
  },
  contactFrequencySet: {
    input: ({ contact }) => ({ contact: { id: contact }, frequency: 'WEEKLY' }),
    select: 'contact { id }',
    events: ({ contact }) => [['contact.updated', { contactId: contact }]],
  },
  contactBulkTag: {
    input: ({ contact, tag }) => ({ contactIds: [contact], tagId: tag }),
    select: 'queued',
    events: () => [],
  },
  contactFieldSet: {
    input: ({ contact, field }) => ({ contact: { id: contact }, customFieldId: field, value: 'v' }),
    select: 'value',
    events: ({ contact, field }) => [
      ['contact.field_updated', { contactId: contact, customFieldId: field, value: 'v', changes }],
    ],
  },
  topicCreate: {
    input: () => ({ name: 'new', audience: 'JOINED' }),
    select: 'topic { id }',
    events: () => [['topic.created', { topicId: expect.any(Number) }]],
  },
  topicUpdate: {
    input: ({ topic }) => ({ id: topic, name: 'renamed' }),
    select: 'topic { id }',
    events: ({ topic }) => [['topic.updated', { topicId: topic }]],
  },
  topicArchive: {
    input: ({ topic }) => ({ id: topic }),
    select: 'topic { id }',
    events: ({ topic }) => [['topic.updated', { topicId: topic }]],
  },
  topicRestore: {
    input: ({ topic }) => ({ id: topic }),
    select: 'topic { id }',
    events: () => [],
  },
  topicDelete: {
    input: ({ topic }) => ({ id: topic }),
    select: 'deletedTopicId',
    events: ({ topic }) => [['topic.deleted', { topicId: topic }]],
  },
  tagCreate: {
    input: () => ({ name: 'new' }),
    select: 'tag { id }',
    events: () => [['tag.created', { tagId: expect.any(Number) }]],
  },
  tagUpdate: {
    input: ({ tag }) => ({ id: tag, name: 'renamed' }),
    select: 'tag { id }',
    events: ({ tag }) => [['tag.updated', { tagId: tag }]],
  },
  segmentCreate: {
    input: () => ({ name: 'new', filter: { gdpr: true } }),
    select: 'segment { id }',
    events: () => [['segment.created', { segmentId: expect.any(Number) }]],
  },
  segmentUpdate: {
    input: ({ segment }) => ({ id: segment, name: 'renamed' }),
    select: 'segment { id }',
    events: ({ segment }) => [['segment.updated', { segmentId: segment }]],
  },
  segmentDelete: {
    input: ({ segment }) => ({ id: segment }),
    select: 'deletedSegmentId',
    events: ({ segment }) => [['segment.deleted', { segmentId: segment }]],
  },
  tagDelete: {
    input: ({ tag }) => ({ id: tag }),
    select: 'deletedTagId',
    events: ({ tag }) => [['tag.deleted', { tagId: tag }]],
  },
  brandUpdate: {
    input: () => ({ accentColor: '#123456' }),
    select: 'brand { accentColor }',
    events: () => [['brand.updated', { accountId: expect.any(Number) }]],
  },
  emailTemplateCreate: {
    input: () => ({
      name: 'new',
      content: { version: 1, sections: [{ type: 'section', columns: [{ blocks: [{ type: 'divider' }] }] }] },
    }),
    select: 'emailTemplate { id }',
    events: () => [['email_template.created', { emailTemplateId: expect.any(Number) }]],
  },
  emailTemplateUpdate: {
    input: ({ emailTemplate }) => ({ id: emailTemplate, name: 'renamed' }),
    select: 'emailTemplate { id }',
    events: ({ emailTemplate }) => [['email_template.updated', { emailTemplateId: emailTemplate }]],
  },
  emailTemplateDuplicate: {
    input: ({ emailTemplate }) => ({ id: emailTemplate }),
    select: 'emailTemplate { id }',
    events: () => [['email_template.created', { emailTemplateId: expect.any(Number) }]],
  },
  emailTemplateDelete: {
    input: ({ emailTemplate }) => ({ id: emailTemplate }),
    select: 'deletedEmailTemplateId',
    events: ({ emailTemplate }) => [['email_template.deleted', { emailTemplateId: emailTemplate }]],
  },
  reusableBlockCreate: {
    input: () => ({ name: 'new', content: [{ type: 'divider' }] }),
    select: 'reusableBlock { id }',
    events: () => [['reusable_block.created', { reusableBlockId: expect.any(Number) }]],
  },
  reusableBlockUpdate: {
    input: ({ reusableBlock }) => ({ id: reusableBlock, name: 'renamed' }),
    select: 'reusableBlock { id }',
    events: ({ reusableBlock }) => [['reusable_block.updated', { reusableBlockId: reusableBlock }]],
  },
  reusableBlockDuplicate: {
    input: ({ reusableBlock }) => ({ id: reusableBlock }),
    select: 'reusableBlock { id }',
    events: () => [['reusable_block.created', { reusableBlockId: expect.any(Number) }]],
  },
  reusableBlockDelete: {
    input: ({ reusableBlock }) => ({ id: reusableBlock }),
    select: 'deletedReusableBlockId',
    events: ({ reusableBlock }) => [['reusable_block.deleted', { reusableBlockId: reusableBlock }]],
  },
  // The media file is created when its bytes arrive.
  mediaCreate: { input: () => ({ name: 'new.png' }), select: 'expiresAt', events: () => [] },
  mediaUpdate: {
    input: ({ media }) => ({ id: media, name: 'renamed.png' }),
    select: 'media { id }',
    events: ({ media }) => [['media.updated', { mediaId: media }]],
  },
  // The places of a file that is replaced are announced as well: `content/media-uses` shows it.
  mediaDelete: {
    input: ({ media }) => ({ id: media }),
    select: 'deletedMediaId',
    events: ({ media }) => [['media.deleted', { mediaId: media }]],
  },
  customFieldCreate: {
    input: () => ({ name: 'new', type: 'TEXT' }),
    select: 'customField { id }',
    events: () => [['custom_field.created', { customFieldId: expect.any(Number) }]],
  },
  customFieldUpdate: {
    input: ({ field }) => ({ id: field, name: 'renamed' }),
    select: 'customField { id }',
    events: ({ field }) => [['custom_field.updated', { customFieldId: field }]],
  },
  customFieldDelete: {
    input: ({ field }) => ({ id: field }),
    select: 'deletedCustomFieldId',
    events: ({ field }) => [['custom_field.deleted', { customFieldId: field }]],
  },
  sequenceCreate: {
    input: () => ({ name: 'new' }),
    select: 'sequence { id }',
    events: () => [['sequence.created', { sequenceId: expect.any(Number) }]],
  },
  sequenceUpdate: {
    input: ({ sequence }) => ({ id: sequence, name: 'renamed', type: 'INVERTED' }),
    select: 'sequence { id }',
    events: ({ sequence }) => [['sequence.updated', { sequenceId: sequence }]],
  },
  sequenceArchive: {
    input: ({ sequence }) => ({ id: sequence, endEnrolments: true }),
    select: 'sequence { id }',
    events: ({ contact, sequence }) => [
      ['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }],
      ['sequence.updated', { sequenceId: sequence }],
    ],
  },
  sequenceRestore: { input: ({ sequence }) => ({ id: sequence }), select: 'sequence { id }', events: () => [] },
  sequenceDuplicate: {
    input: ({ sequence }) => ({ id: sequence }),
    select: 'sequence { id }',
    events: () => [['sequence.created', { sequenceId: expect.any(Number) }]],
  },
  sequenceDelete: {
    input: ({ sequence }) => ({ id: sequence }),
    select: 'deletedSequenceId',
    events: ({ contact, sequence }) => [
      ['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }],
      ['sequence.deleted', { sequenceId: sequence }],
    ],
  },
  sequenceStageCreate: {
    input: ({ sequence }) => ({ sequenceId: sequence }),
    select: 'stage { id }',
    events: ({ sequence }) => [['sequence_stage.created', { stageId: expect.any(Number), sequenceId: sequence }]],
  },
  sequenceStageUpdate: {
    input: ({ stage }) => ({ id: stage, name: 'renamed', timeValue: 2 }),
    select: 'stage { id }',
    events: ({ stage, sequence }) => [['sequence_stage.updated', { stageId: stage, sequenceId: sequence }]],
  },
  sequenceStagesActiveSet: {
    input: ({ sequence }) => ({ sequenceId: sequence, active: false }),
    select: 'sequence { id }',
    events: ({ sequence }) =>
      [1, 2].map(() => ['sequence_stage.updated', { stageId: expect.any(Number), sequenceId: sequence }]),
  },
  sequenceStageDelete: {
    input: ({ stage }) => ({ id: stage }),
    select: 'deletedSequenceStageId',
    events: ({ contact, sequence, stage }) => [
      ['sequence_stage.deleted', { stageId: stage, sequenceId: sequence }],
      ['sequence.completed', { contactId: contact, sequenceId: sequence }],
    ],
  },
  sequenceStageContentSet: {
    input: ({ stage }) => ({ id: stage, html: '<p>New</p>', text: 'New', subject: 'New' }),
    select: 'email { id }',
    events: ({ stage, sequence }) => [['sequence_stage.updated', { stageId: stage, sequenceId: sequence }]],
  },
  sequenceEnrol: {
    input: ({ contact, free }) => ({ contact: { id: contact }, sequenceId: free }),
    select: 'enrolment { id }',
    events: ({ contact, free }) => [['sequence.subscribed', { contactId: contact, sequenceId: free }]],
  },
  sequenceUnenrol: {
    input: ({ contact, sequence }) => ({ contact: { id: contact }, sequenceId: sequence }),
    select: 'sequence { id }',
    events: ({ contact, sequence }) => [['sequence.unsubscribed', { contactId: contact, sequenceId: sequence }]],
  },
  campaignCreate: {
    input: () => ({ name: 'new' }),
    select: 'campaign { id }',
    events: () => [['campaign.created', { campaignId: expect.any(Number) }]],
  },
  campaignUpdate: {
    input: ({ campaign, tag }) => ({ id: campaign, subject: 'New', audience: { lists: { includeTagIds: [tag] } } }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.updated', { campaignId: campaign }]],
  },
  campaignContentSet: {
    input: ({ campaign }) => ({ id: campaign, html: '<p>New</p>', text: 'New' }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.updated', { campaignId: campaign }]],
  },
  campaignSchedule: {
    input: ({ campaign }) => ({ id: campaign, scheduledFor: '2099-12-24 18:00' }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.scheduled', { campaignId: campaign }]],
  },
  campaignUnschedule: {
    input: ({ planned }) => ({ id: planned }),
    select: 'campaign { id }',
    events: ({ planned }) => [['campaign.unscheduled', { campaignId: planned }]],
  },
  campaignSend: {
    input: ({ campaign }) => ({ id: campaign }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.sending', { campaignId: campaign }]],
  },
  campaignPause: {
    input: ({ sending }) => ({ id: sending }),
    select: 'campaign { id }',
    events: ({ sending }) => [['campaign.updated', { campaignId: sending }]],
  },
  campaignResume: { input: ({ sending }) => ({ id: sending }), select: 'campaign { id }', events: () => [] },
  campaignCancel: {
    input: ({ sending }) => ({ id: sending }),
    select: 'campaign { id }',
    events: ({ sending }) => [['campaign.error', { campaignId: sending, errorCode: 'CANCELLED' }]],
  },
  campaignSendUnknown: { input: ({ sending }) => ({ id: sending }), select: 'count', events: () => [] },
  campaignTest: {
    input: ({ campaign }) => ({ id: campaign, emails: ['me@example.com'] }),
    select: 'results { answer }',
    events: () => [],
  },
  sequenceStageTest: {
    input: ({ stage }) => ({ id: stage, emails: ['me@example.com'] }),
    select: 'results { answer }',
    events: () => [],
  },
  suppressionAdd: {
    input: () => ({ email: 'new@example.com' }),
    select: 'suppression { id }',
    events: () => [['suppression.created', { suppressionId: expect.any(Number), contactId: null }]],
  },
  suppressionRemove: {
    input: () => ({ email: suppressed }),
    select: 'email',
    events: () => [['suppression.deleted', { suppressionId: expect.any(Number), contactId: null }]],
  },
  dkimKeySet: {
    input: () => ({ domain: 'example.com', selector: 'new' }),
    select: 'dkimKey { domain }',
    events: () => [['dkim_key.updated', { dkimKeyId: expect.any(Number) }]],
  },
  senderDomainAdd: {
    input: () => ({ domain: 'new.example.com' }),
    select: 'senderDomain { domain }',
    events: () => [['sender_domain.created', { senderDomainId: expect.any(Number) }]],
  },
  senderDomainVerify: {
    input: () => ({ domain: 'example.com' }),
    select: 'senderDomain { domain }',
    // The DNS is not reachable, which is a problem that the domain did not have.
    events: () => [['sender_domain.updated', { senderDomainId: expect.any(Number) }]],
  },
  senderDomainRemove: {
    input: () => ({ domain: 'example.com' }),
    select: 'domain',
    events: () => [['sender_domain.deleted', { senderDomainId: expect.any(Number) }]],
  },
  dkimKeyRemove: {
    input: () => ({ domain: 'example.com' }),
    select: 'domain',
    events: () => [['dkim_key.deleted', { dkimKeyId: expect.any(Number) }]],
  },
  campaignDuplicate: {
    input: ({ sending }) => ({ id: sending }),
    select: 'campaign { id }',
    events: () => [['campaign.created', { campaignId: expect.any(Number) }]],
  },
  campaignArchive: {
    input: ({ campaign }) => ({ id: campaign }),
    select: 'campaign { id }',
    events: ({ campaign }) => [['campaign.updated', { campaignId: campaign }]],
  },
  campaignRestore: { input: ({ campaign }) => ({ id: campaign }), select: 'campaign { id }', events: () => [] },
  campaignDelete: {
    input: ({ campaign }) => ({ id: campaign }),
    select: 'deletedCampaignId',
    events: ({ campaign }) => [['campaign.deleted', { campaignId: campaign }]],
  },
  ...salesAnnouncements,
}
