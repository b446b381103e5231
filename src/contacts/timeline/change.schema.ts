import { builder } from '../../graphql/schema/builder.ts'
import { loadReadableNode, Node } from '../../graphql/schema/node.ts'
import { globalId } from '../../kernel/values/ids.ts'
import { BulkJobType } from '../bulk/bulk-job.schema.ts'
import * as bulkJobList from '../bulk/bulk-job-list.ts'
import { ConsentType } from '../consents/consent.schema.ts'
import { CustomFieldObject } from '../custom-fields/custom-field.schema.ts'
import { regionalEnumValues, textEnumValues } from '../people/contact.schema.ts'
import { consentFields } from '../record/fields.ts'
import { TagType } from '../tags/tag.schema.ts'
import type { ChangeData } from './change-entries.ts'
import { linkedField, timelineEntry } from './timeline.schema.ts'

const ActorKindEnum = builder.enumType('ActorKind', {
  description: 'What made a change.',
  values: {
    API_KEY: { description: 'A request with an API key, also one to the REST API, and the jobs that it started.' },
    VISITOR: {
      description: 'A person on a public page: a form, a funnel step, a confirmation or the unsubscribe page.',
    },
    IMPORT: { description: 'An import of contacts.' },
    SEQUENCE_STAGE: { description: 'An action of a stage of a sequence.' },
    MAIL_PROVIDER: { description: 'A complaint that a mail provider reported.' },
    USER: { description: 'A user of the console, and the jobs that the user started.' },
    BACKGROUND_JOB: { description: 'Any other job, and commands of the operator.' },
  },
})

/** The node types of actors that have an id. */
const actorTypes = {
  API_KEY: 'ApiKey',
  IMPORT: 'ContactImport',
  SEQUENCE_STAGE: 'SequenceStage',
  USER: 'User',
} as const

const idOfActor = ({ actor, actorId }: Pick<ChangeData, 'actor' | 'actorId'>) => {
  const type = { ...actorTypes }[actor as keyof typeof actorTypes]
  return type === undefined || actorId === null ? null : globalId(type, actorId)
}

const ActorType = builder.objectRef<Pick<ChangeData, 'actor' | 'actorId' | 'bulkJobId'>>('Actor').implement({
  description: 'What made a change, with the API key, the user, the import or the stage.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, description: 'Kind of the actor.', resolve: ({ actor }) => actor }),
    objectId: t.id({
      nullable: true,
      description:
        'Global ID of the API key, the user, the import or the stage, even if it was deleted. Null for other kinds.',
      resolve: idOfActor,
    }),
    object: t.field({
      type: Node,
      nullable: true,
      description:
        'The API key, the user, the import or the stage. Null for other kinds, if it was deleted, and if the key may not read it.',
      resolve: (data, _args, ctx) => {
        const id = idOfActor(data)
        return id === null ? null : loadReadableNode(ctx, id)
      },
    }),
    bulkJob: t.field({
      type: BulkJobType,
      nullable: true,
      description: 'The bulk job that made the change for the API key. Null if there is none or it was deleted.',
      resolve: ({ bulkJobId }, _args, ctx) => (bulkJobId === null ? null : ctx.load(bulkJobList.byId, bulkJobId)),
    }),
  }),
})

const consentValue = ({ description }: { readonly description: string }) => ({
  description: `${description}. Its values are \`true\` and \`false\`.`,
})

const ChangeFieldEnum = builder.enumType('ContactChangeField', {
  description: 'A field of a contact that is not a custom field.',
  values: {
    ...textEnumValues,
    ...regionalEnumValues,
    EMAIL_MARKETING: consentValue(consentFields.EMAIL_MARKETING),
    GDPR: consentValue(consentFields.GDPR),
  },
})

export const ContactChangeType = timelineEntry<ChangeData>(
  'ContactChange',
  'A change of a contact. Changes are kept until the contact is deleted. The initial fields of a new contact are not recorded, nor the tags and custom field values of one that an import created: they are the old values of later changes, or the current values.',
  (t) => ({
    field: t.field({
      type: ChangeFieldEnum,
      nullable: true,
      description: 'The field that changed. Null unless `type` is FIELD_CHANGED.',
      resolve: ({ data }) => data.field,
    }),
    ...linkedField(t, 'customField', CustomFieldObject),
    ...linkedField(t, 'tag', TagType),
    oldValue: t.string({
      nullable: true,
      description: 'Value before the change, as text. Null if there was none, and for tags.',
      resolve: ({ data }) => data.oldValue,
    }),
    newValue: t.string({
      nullable: true,
      description: 'Value after the change, as text. Null if it was removed, and for tags.',
      resolve: ({ data }) => data.newValue,
    }),
    actor: t.field({ type: ActorType, description: 'What made the change.', resolve: ({ data }) => data }),
  }),
)

timelineEntry<{ consentId: string }>('ConsentEntry', 'The contact gave or withdrew a consent.', (t) =>
  linkedField(t, 'consent', ConsentType),
)
