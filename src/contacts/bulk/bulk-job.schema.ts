import { ApiKeyType } from '../../account/api-keys/api-key.schema.ts'
import type { Ctx } from '../../db/context.ts'
import { afterDescription } from '../../events/feed/event.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idsText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { largeNodeSource, Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { cursorOf, type StampedEvent } from '../../kernel/feed.ts'
import { ConsentInput } from '../consents/consent.schema.ts'
import { ContactFilter } from '../filters/contact-filter.schema.ts'
import { ContactType } from '../people/contact.schema.ts'
import { details } from '../people/contact-mutations.schema.ts'
import { maxActionIds } from './actions.ts'
import * as bulkJobList from './bulk-job-list.ts'
import * as bulkJobs from './bulk-jobs.ts'
import { maxIds } from './selection.ts'

const BulkJobStatusType = builder.enumType('BulkJobStatus', {
  description: 'Status of a bulk job.',
  values: {
    RUNNING: { description: 'Contacts are being selected or processed.' },
    COMPLETED: {
      description: 'All contacts were processed. `errors` lists the contacts that were not changed as requested.',
    },
    FAILED: {
      description: 'The job stopped because of an error. `error` contains the reason. Processed contacts stay changed.',
    },
    CANCELLED: { description: 'The job was cancelled. Processed contacts stay changed.' },
  },
})

const BulkActionType = builder.enumType('BulkAction', {
  description: 'What a bulk job does with each contact.',
  values: {
    ADD_TAGS: { description: 'Adds tags to the contact.' },
    REMOVE_TAGS: { description: 'Removes tags from the contact.' },
    ADD_SEQUENCES: { description: 'Enrols the contact in sequences.' },
    REMOVE_SEQUENCES: { description: 'Removes the contact from sequences.' },
    UNSUBSCRIBE: {
      description: 'Withdraws the consent to marketing e-mail and removes the contact from all sequences.',
    },
    UPDATE: { description: 'Sets fields and custom fields.' },
    DELETE: { description: 'Deletes the contact.' },
  },
})

const BulkErrorCodeType = builder.enumType('BulkErrorCode', {
  description: 'Reason why a bulk job did not change a contact as requested.',
  values: {
    NOT_FOUND: { description: 'The account has no such contact, or it was deleted after it was selected.' },
    LIMIT_REACHED: { description: 'The contact would have too many tags, or be in too many sequences.' },
    CONTACT_KEPT: {
      description: 'Orders or transactions refer to the contact. It was unsubscribed instead of deleted.',
    },
  },
})

const BulkJobErrorType = builder.prismaObject('BulkJobError', {
  description: 'A contact that a bulk job did not change as requested.',
  interfaces: [Node],
  fields: (t) => ({
    contact: t.node('contactId', { type: ContactType, description: 'The contact. Null if it does not exist.' }),
    contactDatabaseId: t.exposeInt('contactId', {
      description: 'Integer ID of the contact. 0 if the requested ID is not in the range of IDs.',
    }),
    code: t.expose('code', { type: BulkErrorCodeType, description: 'Reason, for programs.' }),
    message: t.exposeString('message', { description: 'Reason, for people.' }),
  }),
})

largeNodeSource(BulkJobErrorType, 'contacts:read', bulkJobList.errorById)

filterKind('enum BulkJobStatus', [BulkJobStatusType])
filterKind('enum BulkAction', [BulkActionType])
filterKind('enum BulkErrorCode', [BulkErrorCodeType])

const BulkJobErrorFilter = filterOf('BulkJobErrorFilterInput', 'errors of a bulk job', bulkJobList.errorFilter, {
  code: 'One of these reasons.',
  message: 'Reason, for people.',
})

const BulkJobErrorConnection = connectionOf(BulkJobErrorType, {
  noun: 'errors',
  filter: BulkJobErrorFilter,
  orders: { ID: 'Order in which the errors occurred.' },
  direction: 'ASC',
})

export const BulkJobType = builder.prismaObject('BulkJob', {
  description: 'An action on many contacts that runs in the background. Bulk jobs are deleted after 90 days.',
  interfaces: [Node],
  fields: (t) => ({
    status: t.expose('status', { type: BulkJobStatusType, description: 'Status of the job.' }),
    action: t.expose('action', { type: BulkActionType, description: 'What the job does with each contact.' }),
    filter: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'The filter that selects the contacts: a valid value of the input `ContactFilterInput`. Empty if all contacts were selected. Null if they were selected by their IDs.',
      resolve: ({ filter }) => filter,
    }),
    apiKey: t.node('keyId', {
      type: ApiKeyType,
      description: 'The API key that created the job. Null if it was created by a user or an operator.',
    }),
    error: t.exposeString('error', { description: 'Reason of the failure. Empty unless the status is FAILED.' }),
    total: t.int({
      nullable: true,
      description: 'Number of selected contacts. Null until all contacts are selected.',
      resolve: ({ total, selectedAt }) => (selectedAt ? total : null),
    }),
    done: t.exposeInt('done', { description: 'Number of contacts that were processed: changed, skipped and failed.' }),
    changed: t.exposeInt('changed', { description: 'Number of contacts that the job changed.' }),
    skipped: t.int({
      description: 'Number of contacts that needed no change, for example because they had the tags already.',
      resolve: ({ done, changed, failed }) => done - changed - failed,
    }),
    failed: t.exposeInt('failed', { description: 'Number of contacts with an error.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the job was created.' }),
    finishedAt: t.exposeTime('finishedAt', {
      nullable: true,
      description: 'Time at which the job completed, failed or was cancelled. Null until then.',
    }),
    errors: t.connection(BulkJobErrorConnection, {
      description: 'Contacts that were not changed as requested. In the order in which the errors occurred by default.',
      resolve: ({ id }, args, ctx) => bulkJobList.listErrors(ctx, id, args),
    }),
  }),
})

nodeSource(BulkJobType, 'contacts:read', bulkJobList.byId)

const BulkJobFilter = filterOf('BulkJobFilterInput', 'bulk jobs', bulkJobList.jobFilter, {
  id: 'The job itself.',
  status: 'One of these statuses.',
  action: 'One of these actions.',
  total: 'Number of selected contacts. A job that is still selecting contacts does not match.',
  done: 'Number of contacts that were processed.',
  failed: 'Number of contacts with an error.',
  createdAt: 'Time at which the job was created.',
  finishedAt: 'Time at which the job ended. A job that has not ended does not match.',
})

const BulkJobConnection = connectionOf(BulkJobType, {
  noun: 'bulk jobs',
  filter: BulkJobFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    ACTION: 'Action, alphabetically.',
    STATUS: 'Status, alphabetically.',
    TOTAL: 'Number of selected contacts.',
  },
})

builder.queryField('bulkJob', (t) =>
  t.nodeById({
    type: BulkJobType,
    description: 'Returns the bulk job with this id. Null if the account has no such job.',
  }),
)

accountList('bulkJobs', BulkJobConnection, bulkJobList.list)

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
      description: `${idsText(`contacts: 1 to ${maxIds.toLocaleString('en')}`)} Unknown IDs are errors of the job.`,
    }),
    all: t.boolean({ description: 'All contacts that exist at the time of the request. Must be true.' }),
  }),
})

const ContactBulkUpdate = builder.inputType('ContactBulkUpdateInput', {
  description: 'New fields of contacts. Fields that are absent or null stay unchanged. At least one must be set.',
  fields: details,
})

const ids = (objects: string) => idsText(`${objects}: 1 to ${maxActionIds}`)

const ContactBulkAction = builder.inputType('ContactBulkActionInput', {
  description: 'An action on each of the selected contacts. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    addTagIds: t.idList({ description: `Adds tags. ${ids('the tags')}` }),
    removeTagIds: t.idList({ description: `Removes tags. ${ids('the tags')}` }),
    addSequenceIds: t.idList({
      description: `Enrols contacts in sequences with stages. Existing enrolments are kept. ${ids('the sequences')} ${scopeText('sequences:write')}`,
    }),
    removeSequenceIds: t.idList({
      description: `Removes contacts from sequences. ${ids('the sequences')} ${scopeText('sequences:write')}`,
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
  input: (t) => ({ id: t.id(requiredId('the bulk job')) }),
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
      bulkJobId: t.arg.id(requiredId('the bulk job')),
      after: t.arg.string({ description: afterDescription }),
    },
    subscribe: (_root, args, ctx: Ctx) => bulkJobList.follow(ctx, args),
    resolve: (event) => event,
  }),
}))
