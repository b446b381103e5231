import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import * as customFields from './custom-fields.ts'

const CustomFieldTypeType = builder.enumType('CustomFieldType', {
  description: 'Type of the values of a custom field. All values are sent and returned as text.',
  values: {
    TEXT: { description: 'Any text. Maximum 1,000 characters.' },
    SELECT: { description: 'One of the options of the field.' },
    NUMBER: { description: 'A decimal number, such as `12` or `-3.5`.' },
    DATE: { description: 'A calendar date in the format `YYYY-MM-DD`.' },
    BOOLEAN: { description: '`true` or `false`.' },
    URL: { description: 'A URL that starts with `http://` or `https://`.' },
  },
})

export const CustomFieldObject = builder.prismaObject('CustomField', {
  description: 'A contact attribute that the account defines.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Label of the custom field. Unique in the account.' }),
    type: t.expose('type', { type: CustomFieldTypeType, description: 'Type of the values.' }),
    values: t.stringList({
      nullable: true,
      description: 'Options of a SELECT field, in order. Null for all other types.',
      resolve: ({ type, values }) => (type === 'SELECT' ? values : null),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the custom field was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the name or the options.' }),
  }),
})

nodeSource(CustomFieldObject, 'contacts:read', customFields.byId)

builder.queryFields((t) => ({
  customField: t.nodeById({
    type: CustomFieldObject,
    description: 'Returns the custom field with this id. Null if the account has no such field.',
  }),
  customFields: t.field({
    type: [CustomFieldObject],
    description: 'Returns all custom fields of the account, oldest first. An account has at most 1,000.',
    complexity: listCost('customFields'),
    resolve: (_root, _args, ctx) => customFields.list(ctx),
  }),
}))

mutation('customFieldCreate', {
  needs: 'contacts:write',
  description: 'Creates a custom field. An account can have 1,000 custom fields.',
  input: (t) => ({
    name: t.string({
      required: true,
      description: 'Label of the custom field. Unique in the account. Maximum 255 characters.',
    }),
    type: t.field({
      type: CustomFieldTypeType,
      required: true,
      description: 'Type of the values. Cannot be changed later.',
    }),
    values: t.stringList({
      description: 'Options of a SELECT field: 1 to 500, without commas. Not allowed for other types.',
    }),
  }),
  run: customFields.create,
  payload: (t) => ({
    customField: t.expose('customField', { type: CustomFieldObject, description: 'The created custom field.' }),
  }),
})

mutation('customFieldUpdate', {
  needs: 'contacts:write',
  description: 'Renames a custom field or replaces its options. Values that contacts already have are kept.',
  input: (t) => ({
    id: t.id(requiredId('the custom field')),
    name: t.string({ description: 'New label. Unchanged if absent or null.' }),
    values: t.stringList({ description: 'New options of a SELECT field. Unchanged if absent or null.' }),
  }),
  run: customFields.update,
  lock: (tx, { id }) => customFields.lock(tx, id),
  payload: (t) => ({
    customField: t.expose('customField', { type: CustomFieldObject, description: 'The updated custom field.' }),
  }),
})

mutation('customFieldDelete', {
  needs: 'contacts:write',
  description: 'Deletes a custom field and the values that contacts have for it.',
  input: (t) => ({ id: t.id(requiredId('the custom field')) }),
  run: customFields.remove,
  payload: (t) => deletedNode(t, CustomFieldObject),
})
