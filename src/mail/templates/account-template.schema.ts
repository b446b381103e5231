import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { reads } from '../../graphql/schema/row-fields.ts'
import * as templateList from './account-template-list.ts'
import * as templates from './account-templates.ts'
import { thumbnailCost, thumbnailText } from './template.schema.ts'

const nameText = 'Name of the template. Maximum 255 characters.'
const contentText = 'Document of blocks as described by `messageSchema`, as an object or as JSON text.'

export const EmailTemplateType = builder.objectRef<templateList.EmailTemplate>('EmailTemplate').implement({
  description: 'A template of the account, from which the content of messages begins.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the template.' }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Document of blocks (`messageSchema`), which `emailTemplateCreate` accepts in another account.',
      complexity: 10,
      extensions: reads('id'),
      resolve: async ({ id }, _args, ctx) => (await ctx.load(templateList.contentById, id))?.content ?? null,
    }),
    thumbnail: t.string({
      nullable: true,
      description: thumbnailText,
      complexity: thumbnailCost,
      extensions: reads('id'),
      resolve: ({ id }, _args, ctx) => ctx.load(templateList.thumbnailById, id),
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the template was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update.' }),
  }),
})

nodeSource(EmailTemplateType, 'mail:read', templateList.byId)

const EmailTemplateFilter = filterOf('EmailTemplateFilterInput', 'templates', templateList.emailTemplateFilter, {
  id: 'The template itself.',
  name: 'Name of the template.',
  createdAt: 'Time at which the template was created.',
  updatedAt: 'Time of the last update.',
  search: 'Words in any order, in the name.',
})

const EmailTemplateConnection = connectionOf(EmailTemplateType, {
  noun: 'templates',
  filter: EmailTemplateFilter,
  orders: {
    CREATED_AT: 'Time at which the template was created.',
    NAME: 'Name of the template, in the order of a dictionary.',
    UPDATED_AT: 'Time of the last update.',
  },
})

builder.queryField('emailTemplate', (t) =>
  t.nodeById({
    type: EmailTemplateType,
    description: 'Returns the template with this id. Null if the account has no such template.',
  }),
)

accountList('emailTemplates', EmailTemplateConnection, templateList.list)

const payload = (t: Payload<{ emailTemplate: templateList.EmailTemplate }>) => ({
  emailTemplate: t.expose('emailTemplate', { type: EmailTemplateType, description: 'The template after the change.' }),
})

mutation('emailTemplateCreate', {
  needs: 'mail:write',
  description: `Creates a template from a document, or from the content of an e-mail. Throws QUOTA_EXCEEDED if the account has ${templates.maxTemplates.toLocaleString('en')} templates.`,
  input: (t) => ({
    name: t.string({ required: true, description: nameText }),
    content: t.field({ type: 'JSON', description: contentText }),
    emailId: t.id({
      description: `${idText('the e-mail whose content becomes the template')} Instead of \`content\`.`,
    }),
  }),
  run: templates.create,
  outside: 'preparation',
  payload,
})

mutation('emailTemplateUpdate', {
  needs: 'mail:write',
  description: 'Updates a template; absent fields stay as they are. Messages that began with it stay as they are.',
  input: (t) => ({
    id: t.id(requiredId('the template')),
    name: t.string({ description: nameText }),
    content: t.field({ type: 'JSON', description: contentText }),
  }),
  run: templates.update,
  lock: (tx, { id }) => templateList.lock(tx, id),
  outside: 'preparation',
  payload,
})

mutation('emailTemplateDuplicate', {
  needs: 'mail:write',
  description: 'Creates a copy of a template. Throws QUOTA_EXCEEDED as `emailTemplateCreate` does.',
  input: (t) => ({
    id: t.id(requiredId('the template')),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: templates.duplicate,
  payload,
})

mutation('emailTemplateDelete', {
  needs: 'mail:write',
  description: 'Deletes a template. Messages that began with it stay as they are.',
  input: (t) => ({ id: t.id(requiredId('the template')) }),
  run: templates.remove,
  payload: (t) => deletedNode(t, EmailTemplateType),
})
