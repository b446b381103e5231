import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { ConsentType } from '../consents/consent.schema.ts'
import type { ContactTopic } from './memberships.ts'
import * as topics from './topics.ts'

const TopicAudienceType = builder.enumType('TopicAudience', {
  description: 'Who gets messages of a topic, of the contacts that consent to marketing e-mail.',
  values: {
    EVERYONE: { description: 'All, except those that left the topic.' },
    JOINED: { description: 'Only those that joined the topic.' },
  },
})

const TopicStateType = builder.enumType('TopicState', {
  description: 'What a contact decided about a topic.',
  values: {
    JOINED: { description: 'The contact joined the topic.' },
    LEFT: {
      description: 'The contact left the topic. Later messages of it are not sent to the contact.',
    },
  },
})

const TopicTranslationType = builder.objectRef<topics.TopicTranslation>('TopicTranslation').implement({
  description: 'Name and description of a topic in a language.',
  fields: (t) => ({
    language: t.exposeString('language', { description: 'Language tag (BCP 47), such as `de` or `pt-BR`.' }),
    name: t.exposeString('name', { description: 'Name in this language.' }),
    description: t.exposeString('description', { description: 'Description in this language. May be empty.' }),
  }),
})

export const MessageFrequencyType = builder.enumType('MessageFrequency', {
  description: 'How often a contact wants marketing e-mail, as it chose on its preference page.',
  values: {
    ANY: { description: 'As often as it is sent.' },
    WEEKLY: { description: 'At most one message in 7 days.' },
    MONTHLY: { description: 'At most one message in 30 days.' },
  },
})

const scopes = ['contacts:read', 'mail:read', 'campaigns:read', 'sequences:read'] as const

readableWith('TopicTranslation', ...scopes)

export const TopicType = builder.prismaObject('Topic', {
  description:
    'What marketing e-mail is about. A contact can leave a topic and keep all others; without `Contact.emailMarketing` it gets none.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Unique in the account, case-insensitive.' }),
    description: t.exposeString('description', {
      description: 'What contacts can expect, as their preference page shows it. May be empty.',
    }),
    translations: t.field({
      type: [TopicTranslationType],
      description: 'Name and description in further languages.',
      complexity: listCost('translations'),
      resolve: ({ translations }) => translations as topics.TopicTranslation[],
    }),
    isPublic: t.exposeBoolean('isPublic', {
      description:
        'Whether every contact can see and join the topic on its preference page. A topic that is not public is shown only by its own messages.',
    }),
    audience: t.expose('audience', { type: TopicAudienceType, description: 'Who gets messages of the topic.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the topic was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update.' }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description:
        'Time at which the topic was archived. E-mails cannot name it any more, and preference pages do not show it. Null if it is not archived.',
    }),
  }),
})

nodeSource(TopicType, 'contacts:read', topics.byId)
readableWith('Topic', ...scopes)

builder.prismaObjectField(ConsentType, 'topic', (t) =>
  t.node('topicId', {
    type: TopicType,
    description: 'The topic of a consent of the kind TOPIC. Null for other kinds, and if the topic was deleted.',
  }),
)

/** A topic as it concerns a contact. */
export const ContactTopicType = builder.objectRef<ContactTopic>('ContactTopic').implement({
  description: 'A topic as it concerns a contact.',
  fields: (t) => ({
    topic: t.expose('topic', { type: TopicType, description: 'The topic.' }),
    receives: t.exposeBoolean('receives', {
      description: 'Whether messages of the topic are sent to the contact while it consents to marketing e-mail.',
    }),
    state: t.expose('state', {
      type: TopicStateType,
      nullable: true,
      description: 'What the contact decided. Null if it decided nothing: the audience of the topic then counts.',
    }),
    changedAt: t.exposeTime('changedAt', {
      nullable: true,
      description: 'Time at which the contact joined or left the topic. Null if it decided nothing.',
    }),
  }),
})

readableWith('ContactTopic', 'contacts:read')

builder.queryFields((t) => ({
  topic: t.nodeById({
    type: TopicType,
    description: 'Returns the topic with this id. Null if the account has no such topic.',
  }),
  topics: t.field({
    type: [TopicType],
    description: `Returns all topics of the account, oldest first, with those that are archived. An account has at most ${topics.maxTopics}.`,
    complexity: listCost('topics'),
    resolve: (_root, _args, ctx) => topics.list(ctx),
  }),
}))

const TopicTranslationInput = builder.inputType('TopicTranslationInput', {
  description: 'Name and description of a topic in a language.',
  fields: (t) => ({
    language: t.string({
      required: true,
      description: 'Language tag (BCP 47), such as `de` or `pt-BR`. Each only once.',
    }),
    name: t.string({ required: true, description: 'Name in this language. Maximum 255 characters.' }),
    description: t.string({
      description: `Description in this language. Maximum ${topics.maxDescription.toLocaleString('en')} characters.`,
    }),
  }),
})

const settings = (t: InputBuilder) => ({
  description: t.string({
    description: `What contacts can expect, for their preference page. Maximum ${topics.maxDescription.toLocaleString('en')} characters.`,
  }),
  translations: t.field({
    type: [TopicTranslationInput],
    description: `Name and description in further languages, which replace the present ones. Maximum ${topics.maxTranslations}.`,
  }),
  isPublic: t.boolean({
    description: 'Whether every contact can see and join the topic on its preference page. Defaults to true.',
  }),
})

mutation('topicCreate', {
  needs: 'contacts:write',
  description: `Creates a topic. An account can have ${topics.maxTopics} topics.`,
  input: (t) => ({
    name: t.string({ required: true, description: 'Name, unique in the account. Maximum 255 characters.' }),
    audience: t.field({ type: TopicAudienceType, required: true, description: 'Who gets messages of the topic.' }),
    ...settings(t),
  }),
  run: topics.create,
  payload: (t) => ({ topic: t.expose('topic', { type: TopicType, description: 'The created topic.' }) }),
})

mutation('topicUpdate', {
  needs: 'contacts:write',
  description: 'Updates a topic. Fields that are absent or null stay unchanged.',
  input: (t) => ({
    id: t.id(requiredId('the topic')),
    name: t.string({ description: 'New name, unique in the account. Maximum 255 characters.' }),
    audience: t.field({
      type: TopicAudienceType,
      description: 'Who gets messages of the topic. Contacts that joined or left it stay so.',
    }),
    ...settings(t),
  }),
  run: topics.update,
  lock: (tx, { id }) => topics.lock(tx, id),
  payload: (t) => ({ topic: t.expose('topic', { type: TopicType, description: 'The updated topic.' }) }),
})

for (const [name, description, run] of [
  [
    'topicArchive',
    'Archives a topic: e-mails cannot name it any more, and preference pages do not show it. Those that name it are sent as before. Idempotent.',
    topics.archive,
  ],
  ['topicRestore', 'Restores an archived topic. Idempotent.', topics.restore],
] as const) {
  mutation(name, {
    needs: 'contacts:write',
    description,
    input: (t) => ({ id: t.id(requiredId('the topic')) }),
    run,
    payload: (t) => ({ topic: t.expose('topic', { type: TopicType, description: 'The topic.' }) }),
  })
}

mutation('topicDelete', {
  needs: 'contacts:write',
  description:
    'Deletes a topic that no e-mail names, and what contacts decided about it. Their consents stay. Throws INVALID_STATE if an e-mail names the topic: archive it instead.',
  input: (t) => ({ id: t.id(requiredId('the topic')) }),
  run: topics.remove,
  payload: (t) => deletedNode(t, TopicType),
})
