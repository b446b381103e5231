import { builder } from '../graphql/builder.ts'
import { asOfNow, mutation, needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { customFields } from './index.ts'

const CustomFieldTypeType = builder.enumType('CustomFieldType', {
  description: 'What values a custom field takes. Values travel as text.',
  values: {
    TEXT: { description: 'Any text, 1,000 characters at most.' },
    SELECT: { description: 'One of the options of the field.' },
    NUMBER: { description: 'A number in decimal digits, such as `12` or `-3.5`.' },
    DATE: { description: 'A day that exists, as `YYYY-MM-DD`.' },
    BOOLEAN: { description: '`true` or `false`.' },
    URL: { description: 'An address that starts with http:// or https://.' },
  },
})

export const CustomFieldObject = builder.prismaObject('CustomField', {
  description: 'Something more that the account keeps of its contacts.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called: unique in the account.' }),
    type: t.expose('type', { type: CustomFieldTypeType, description: 'What values it takes.' }),
    values: t.stringList({
      nullable: true,
      description: 'The options of a SELECT, in their order; null for every other type.',
      complexity: 1,
      resolve: ({ type, values }) => (type === 'SELECT' ? values : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was defined.' }),
  }),
})

nodeSource('CustomField', 'contacts:read', customFields.byId)

builder.queryFields((t) => ({
  customField: t.field({
    type: CustomFieldObject,
    nullable: true,
    description: needing('contacts:read', 'A custom field, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The custom field, by global id or integer.' }) },
    resolve: allowed('contacts:read', (_root, { id }, ctx) => ctx.load(customFields.byId, idOf('CustomField', id))),
  }),
  customFields: t.field({
    type: [CustomFieldObject],
    description: needing('contacts:read', 'The custom fields of the account, in the order in which they were defined.'),
    complexity: listCost('customFields'),
    resolve: allowed('contacts:read', (_root, _args, ctx) => customFields.list(ctx)),
  }),
}))

mutation('customFieldCreate', {
  needs: 'contacts:write',
  description: 'Defines a custom field.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What to call it: unique in the account, 255 characters at most.' }),
    type: t.field({
      type: CustomFieldTypeType,
      required: true,
      description: 'What values it takes; this cannot be changed later.',
    }),
    values: t.stringList({ description: 'The options of a SELECT, which needs at least one; no commas.' }),
  }),
  run: customFields.create,
  payload: (t) => ({
    customField: t.field({
      type: CustomFieldObject,
      description: 'The new custom field.',
      resolve: asOfNow(customFields.byId, (result) => result.customField),
    }),
  }),
})

mutation('customFieldUpdate', {
  needs: 'contacts:write',
  description: 'Renames a custom field, or gives it other options; values that contacts have already are kept.',
  input: (t) => ({
    id: t.id({ required: true, description: 'The custom field, by global id or integer.' }),
    name: t.string({ description: 'What to call it.' }),
    values: t.stringList({ description: 'The options of a SELECT.' }),
  }),
  run: customFields.update,
  payload: (t) => ({
    customField: t.field({
      type: CustomFieldObject,
      description: 'The custom field after the change.',
      resolve: asOfNow(customFields.byId, (result) => result.customField),
    }),
  }),
})

mutation('customFieldDelete', {
  needs: 'contacts:write',
  description: "Deletes a custom field and every contact's value for it.",
  input: (t) => ({ id: t.id({ required: true, description: 'The custom field, by global id or integer.' }) }),
  run: customFields.remove,
  payload: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'The integer that the custom field had.' }),
  }),
})
