import { ApiKeyType } from '../account/api-key.schema.ts'
import { builder } from '../graphql/builder.ts'
import { accountList, connectionOf } from '../graphql/connection.ts'
import { filterKind, filterOf } from '../graphql/filter.ts'
import { largeNodeSource, Node, nodeSource } from '../graphql/node.ts'
import * as bulkJobList from './bulk-job-list.ts'
import { ContactType } from './contact.schema.ts'

export const BulkJobStatusType = builder.enumType('BulkJobStatus', {
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
    ADD_TAGS: { description: 'Adds tags.' },
    REMOVE_TAGS: { description: 'Removes tags.' },
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
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
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
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
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
