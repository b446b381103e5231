import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { ContactFilter } from '../filters/contact-filter.schema.ts'
import { ContactConnection, ContactType } from '../people/contact.schema.ts'
import { maxFilterLength } from './segment-filter.ts'
import * as segmentList from './segment-list.ts'
import * as segments from './segments.ts'

export const SegmentType = builder.prismaObject('Segment', {
  description: 'A saved filter of contacts. Its contacts are evaluated when they are queried.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique in the account, case-sensitive. Maximum 255 characters.' }),
    filter: t.field({
      type: 'JSON',
      description:
        'The filter that selects the contacts: a valid value of the input `ContactFilterInput`, with IDs as they were sent.',
      resolve: ({ filter }) => filter,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the segment was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change to the name or the filter.' }),
    contacts: t.connection(ContactConnection, {
      nullable: true,
      // Its rows are selected by a filter, like those of an audience.
      points: 50,
      description:
        'Contacts that match the filter of the segment. Newest first by default. Needs the scopes of the fields of the filter.',
      resolve: (segment, args, ctx) => segments.contactsOf(ctx, segment, args),
    }),
  }),
})

nodeSource(SegmentType, 'contacts:read', segmentList.byId)

const SegmentFilter = filterOf('SegmentFilterInput', 'segments', segmentList.segmentFilter, {
  id: 'The segment itself.',
  name: 'Name.',
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change.',
  search: 'Words in any order, in the name.',
})

const SegmentConnection = connectionOf(SegmentType, {
  noun: 'segments',
  filter: SegmentFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    UPDATED_AT: 'Time of the last change.',
    NAME: 'Name of the segment, in the order of a dictionary.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryField('segment', (t) =>
  t.nodeById({
    type: SegmentType,
    description: 'Returns the segment with this id. Null if the account has no such segment.',
  }),
)

accountList('segments', SegmentConnection, segmentList.list)

builder.prismaObjectField(ContactType, 'segments', (t) =>
  t.field({
    type: [SegmentType],
    nullable: true,
    description:
      'Segments that the contact is in, ordered by name. Segments with conditions whose scopes the key lacks are left out. Evaluates all segments of the account. Null if that takes too long.',
    complexity: { ...listCost('segments'), weight: 4 },
    resolve: ({ id }, _args, ctx) => ctx.load(segments.ofContact, id),
  }),
)

const scopes =
  'Needs the scopes of the fields of the filter. Throws VALIDATION_ERROR if another segment has the name, and if the filter contains `segments`'
const nameDescription = 'Name of the segment. Maximum 255 characters.'
const length = maxFilterLength.toLocaleString('en')
const filterDescription = `Filter of the contacts, without \`segments\`. An empty filter matches all contacts. Maximum ${length} characters as JSON.`

mutation('segmentCreate', {
  needs: 'contacts:write',
  description: `Creates a segment. ${scopes}, or if the account has ${segments.maxSegments} segments.`,
  input: (t) => ({
    name: t.string({ required: true, description: nameDescription }),
    filter: t.field({ type: ContactFilter, required: true, description: filterDescription }),
  }),
  run: segments.create,
  payload: (t) => ({
    segment: t.expose('segment', { type: SegmentType, description: 'The created segment.' }),
  }),
})

mutation('segmentUpdate', {
  needs: 'contacts:write',
  description: `Renames a segment or replaces its filter. Campaigns that use the segment and were not sent yet use the new filter. ${scopes}.`,
  input: (t) => ({
    id: t.id(requiredId('the segment')),
    name: t.string({ description: `${nameDescription} Absent or null: unchanged.` }),
    filter: t.field({ type: ContactFilter, description: `${filterDescription} Absent or null: unchanged.` }),
  }),
  run: segments.update,
  lock: (tx, { id }) => segments.lock(tx, id),
  payload: (t) => ({
    segment: t.expose('segment', { type: SegmentType, description: 'The updated segment.' }),
  }),
})

mutation('segmentDelete', {
  needs: 'contacts:write',
  description:
    'Deletes a segment. Its contacts stay. Throws INVALID_STATE if the audience of a campaign that can still be sent uses the segment; the message names the campaigns.',
  input: (t) => ({ id: t.id(requiredId('the segment')) }),
  run: segments.remove,
  payload: (t) => deletedNode(t, SegmentType),
})
