import type { Ctx } from '../db/context.ts'
import { afterDescription } from '../events/log/event.schema.ts'
import { builder } from '../graphql/builder.ts'
import { mutation } from '../graphql/mutation.ts'
import { readableWith } from '../graphql/scopes.ts'
import { cursorOf, type StampedEvent } from '../kernel/feed.ts'
import { maxActionIds } from './bulk-actions.ts'
import { BulkJobStatusType, BulkJobType } from './bulk-job.schema.ts'
import * as bulkJobList from './bulk-job-list.ts'
import * as bulkJobs from './bulk-jobs.ts'
import { maxIds } from './bulk-selection.ts'
import { ConsentInput } from './consent.schema.ts'
import { ContactFilter } from './contact-filter.schema.ts'
import { details } from './contact-mutations.schema.ts'

const ContactSelection = builder.inputType('ContactSelectionInput', {
  description: 'Selects contacts. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    filter: t.field({
      type: ContactFilter,
      description:
        'The contacts that match. Must have a condition. IDs that it excludes must exist. The filter is applied to each contact once, soon after the request; later changes of the contact do not matter.',
    }),
    ids: t.idList({
      description: `Global ids or integer ids of contacts: 1 to ${maxIds.toLocaleString('en')}. Unknown ids are errors of the job.`,
    }),
    all: t.boolean({ description: 'All contacts that exist at the time of the request. Must be true.' }),
  }),
})

const ContactBulkUpdate = builder.inputType('ContactBulkUpdateInput', {
  description: 'New fields of contacts. Fields that are absent or null stay unchanged. At least one must be set.',
  fields: details,
})

const ids = `Global ids or integer ids: 1 to ${maxActionIds}.`

const ContactBulkAction = builder.inputType('ContactBulkActionInput', {
  description: 'An action on each of the selected contacts. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    addTagIds: t.idList({ description: `Adds tags. ${ids}` }),
    removeTagIds: t.idList({ description: `Removes tags. ${ids}` }),
    addSequenceIds: t.idList({
      description: `Enrols contacts in sequences with stages. Existing enrolments are kept. Needs the scope \`SEQUENCES_WRITE\`. ${ids}`,
    }),
    removeSequenceIds: t.idList({
      description: `Removes contacts from sequences. Needs the scope \`SEQUENCES_WRITE\`. ${ids}`,
    }),
    unsubscribe: t.field({
      type: ConsentInput,
      description:
        'Withdraws the consent to marketing e-mail and removes contacts from all sequences. The value is the origin of the withdrawal, and can be empty.',
    }),
    update: t.field({ type: ContactBulkUpdate, description: 'Sets fields and custom fields.' }),
    delete: t.boolean({
      description:
        'Deletes contacts, as `contactDelete` does. Contacts that orders or transactions refer to are unsubscribed instead. Must be true.',
    }),
  }),
})

mutation('contactsBulk', {
  needs: 'contacts:write',
  alsoNeeds: ({ action }) => [action.addSequenceIds || action.removeSequenceIds ? 'sequences:write' : null],
  description: `Applies an action to any number of contacts in the background. Needs the scopes of the fields of the filter. Each contact is processed exactly once, and emits the same events as the mutation on one contact. Subscribe to \`bulkJobProgress\` for the progress, and read \`errors\` for contacts that were not changed.\n\nThrows NOT_FOUND for an unknown tag, sequence or custom field, SEQUENCE_HAS_NO_STAGES, and QUOTA_EXCEEDED if the account has ${bulkJobs.maxOpenJobs} bulk jobs that have not ended.`,
  input: (t) => ({
    contacts: t.field({ type: ContactSelection, required: true, description: 'Selects the contacts.' }),
    action: t.field({ type: ContactBulkAction, required: true, description: 'Action on each contact.' }),
  }),
  run: bulkJobs.create,
  payload: (t) => ({
    bulkJob: t.expose('bulkJob', { type: BulkJobType, description: 'The created job.' }),
  }),
})

mutation('bulkJobCancel', {
  needs: 'contacts:write',
  description:
    'Cancels a bulk job. Contacts that were processed stay changed. Throws INVALID_STATE if the job has ended.',
  input: (t) => ({ id: t.id({ required: true, description: 'Global id or integer id of the bulk job.' }) }),
  run: bulkJobs.cancel,
  payload: (t) => ({
    bulkJob: t.expose('bulkJob', { type: BulkJobType, description: 'The cancelled job.' }),
  }),
})

/** Loads the current job of an event. The loader reads it once for all fields of the event. */
const jobOf = ({ data }: StampedEvent, ctx: Ctx) =>
  ctx.load(bulkJobList.byId, (data as { bulkJobId: number }).bulkJobId)

const BulkJobProgress = builder.objectRef<StampedEvent>('BulkJobProgress').implement({
  description: 'Progress of a bulk job.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Position of this event. Pass it as `after` to resume the subscription after this event.',
      resolve: ({ position }) => cursorOf(position),
    }),
    occurredAt: t.exposeTime('createdAt', { description: 'Time of the progress.' }),
    bulkJob: t.field({
      type: BulkJobType,
      nullable: true,
      description: 'Current state of the job. Null if it was deleted.',
      resolve: (event, _args, ctx) => jobOf(event, ctx),
    }),
    status: t.field({
      type: BulkJobStatusType,
      nullable: true,
      description: 'Current status. Null if the job was deleted.',
      resolve: async (event, _args, ctx) => (await jobOf(event, ctx))?.status ?? null,
    }),
    done: t.int({
      nullable: true,
      description: 'Number of contacts that were processed. Null if the job was deleted.',
      resolve: async (event, _args, ctx) => (await jobOf(event, ctx))?.done ?? null,
    }),
  }),
})

readableWith('BulkJobProgress', 'contacts:read')

builder.subscriptionFields((t) => ({
  bulkJobProgress: t.field({
    type: BulkJobProgress,
    description:
      'Sends an event each time that a bulk job progresses: while contacts are selected, after each part of them, and when the job ends. An event shows the state of the job at delivery. The subscription completes when the job has ended; for a job that has ended before, it sends one event.',
    args: {
      bulkJobId: t.arg.id({ required: true, description: 'Global id or integer id of the bulk job.' }),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => bulkJobList.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
