import { expect } from 'vitest'
import { type ForeignAccess, type Parties, refusedMutation } from './foreign.ts'

/** Access to keys, users, sessions, webhooks and media of another account. */
export function listForeignAccountAccess({ own, foreign, form }: Parties): Record<string, readonly ForeignAccess[]> {
  return {
    apiKeyUpdate: [refusedMutation(['input.id'], { id: form(foreign.apiKey), name: 'x' }, 'apiKey { id }')],
    apiKeyDisable: [refusedMutation(['input.id'], { id: form(foreign.apiKey) }, 'apiKey { id }')],
    userInvitationResend: [refusedMutation(['input.id'], { id: form(foreign.user) }, 'user { id }')],
    userUpdate: [refusedMutation(['input.id'], { id: form(foreign.user), role: 'ANALYST' }, 'user { id }')],
    userRemove: [refusedMutation(['input.id'], { id: form(foreign.user) }, 'user { id }')],
    sessionRevoke: [
      { ...refusedMutation(['input.id'], { id: foreign.user.session }, 'deletedSessionId'), isOfUser: true },
    ],
    mediaItem: [{ names: ['id'], args: { id: form(foreign.media) }, select: 'id', comes: null }],
    mediaUpdate: [refusedMutation(['input.id'], { id: form(foreign.media), name: 'stolen' }, 'media { id }')],
    mediaDelete: [
      refusedMutation(['input.id'], { id: form(foreign.media) }, 'deletedMediaId'),
      refusedMutation(
        ['input.replaceWithId'],
        { id: form(own.media), replaceWithId: form(foreign.media) },
        'deletedMediaId',
      ),
    ],
    emailTemplate: [{ names: ['id'], args: { id: form(foreign.emailTemplate) }, select: 'id', comes: null }],
    emailTemplateCreate: [
      refusedMutation(['input.emailId'], { name: 'x', emailId: form(foreign.email) }, 'emailTemplate { id }'),
    ],
    emailTemplateUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.emailTemplate), name: 'stolen' }, 'emailTemplate { id }'),
    ],
    emailTemplateDuplicate: [
      refusedMutation(['input.id'], { id: form(foreign.emailTemplate) }, 'emailTemplate { id }'),
    ],
    emailTemplateDelete: [refusedMutation(['input.id'], { id: form(foreign.emailTemplate) }, 'deletedEmailTemplateId')],
    reusableBlock: [{ names: ['id'], args: { id: form(foreign.reusableBlock) }, select: 'id', comes: null }],
    reusableBlockUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.reusableBlock), name: 'stolen' }, 'reusableBlock { id }'),
    ],
    reusableBlockDuplicate: [
      refusedMutation(['input.id'], { id: form(foreign.reusableBlock) }, 'reusableBlock { id }'),
    ],
    reusableBlockDelete: [refusedMutation(['input.id'], { id: form(foreign.reusableBlock) }, 'deletedReusableBlockId')],
    webhook: [{ names: ['id'], args: { id: form(foreign.webhook) }, select: 'id', comes: null }],
    webhookDryRun: [
      {
        names: ['webhookId'],
        args: { webhookId: form(foreign.webhook), type: 'CONTACT_CREATED' },
        select: 'body',
        comes: 'NOT_FOUND',
      },
      {
        names: ['subjectId'],
        args: { subjectId: form(foreign.contact), type: 'CONTACT_CREATED' },
        select: 'body',
        comes: { body: expect.stringContaining(`"data":{"id":${foreign.contact.databaseId}}`) },
      },
    ],
    webhookUpdate: [refusedMutation(['input.id'], { id: form(foreign.webhook), active: false }, 'webhook { id }')],
    webhookDelete: [refusedMutation(['input.id'], { id: form(foreign.webhook) }, 'deletedWebhookId')],
    webhookTest: [refusedMutation(['input.id'], { id: form(foreign.webhook) }, 'delivery { id }')],
    webhookReplay: [
      refusedMutation(['input.deliveryId'], { deliveryId: foreign.webhook.delivery }, 'replayed'),
      refusedMutation(
        ['input.webhookId'],
        { webhookId: form(foreign.webhook), since: '2026-01-01T00:00:00Z' },
        'replayed',
      ),
    ],
  }
}
