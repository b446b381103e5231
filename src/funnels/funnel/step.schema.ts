import type { FunnelStep } from '../../../prisma/generated/client/client.ts'
import { tags } from '../../contacts/index.ts'
import { TagType } from '../../contacts/tags/tag.schema.ts'
import { OrderType } from '../../finance/orders/order.schema.ts'
import { FormType } from '../../forms/form/form.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idsText, idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { SequenceObject } from '../../sequences/definition/sequence.schema.ts'
import { sequences } from '../../sequences/index.ts'
import { FunnelType, funnelId } from './funnel.schema.ts'
import * as stepList from './step-list.ts'
import * as steps from './steps.ts'

export const StepType = builder.prismaObject('FunnelStep', {
  description: 'A step of a funnel: one web page with a form.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the step. Visitors see it only if `title` is empty.' }),
    path: t.exposeString('path', { description: 'Last segment of the page URL. Unique in the funnel.' }),
    type: t.exposeInt('type', { description: 'Number with a meaning that the client defines. Defaults to 1.' }),
    position: t.exposeInt('position', { description: 'Position in the funnel. The first step has position 1.' }),
    title: t.exposeString('title', { description: 'HTML title of the page. If empty, the page uses `name`.' }),
    description: t.exposeString('description', {
      description: 'Meta description of the page for search engines. May be empty.',
    }),
    url: t.string({
      nullable: true,
      description: 'URL of the page. Null if the account has no subdomain.',
      resolve: (step, _args, ctx) => stepList.urlOf(ctx, step),
    }),
    form: t.node('formId', { type: FormType, description: 'Form on which visitors of the page opt in.' }),
    funnel: t.node('funnelId', {
      type: FunnelType,
      description: 'Funnel of the step. Null if it was deleted while the request ran.',
    }),
    tags: t.field({
      type: [TagType],
      nullable: true,
      description: `Tags that an opt-in adds to the contact. Maximum ${steps.maxLinks}. Deleted tags are left out.`,
      complexity: listCost('links'),
      resolve: ({ tagIds }, _args, ctx) => existing(tagIds.map((id) => ctx.load(tags.byId, id))),
    }),
    sequences: t.field({
      type: [SequenceObject],
      nullable: true,
      description: `Sequences in which an opt-in enrols the contact. Maximum ${steps.maxLinks}. Deleted sequences are left out.`,
      complexity: listCost('links'),
      resolve: ({ sequenceIds }, _args, ctx) => existing(sequenceIds.map((id) => ctx.load(sequences.byId, id))),
    }),
    publishedVersion: t.exposeInt('publishedVersion', {
      nullable: true,
      description: 'Number of the published version. Null if no version is published; the page then returns 404.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the step or its content.' }),
  }),
})

nodeSource(StepType, 'funnels:read', stepList.byId)

builder.prismaObjectField(FunnelType, 'steps', (t) =>
  t.field({
    type: [StepType],
    description: `Steps of the funnel, sorted by position. Maximum ${stepList.maxSteps}.`,
    complexity: listCost('steps'),
    resolve: ({ id }, _args, ctx) => ctx.load(stepList.ofFunnel, id),
  }),
)

builder.objectField(FormType, 'step', (t) =>
  t.field({
    type: StepType,
    nullable: true,
    description: 'Funnel step that the form belongs to. Null if the form belongs to no step.',
    resolve: ({ id }, _args, ctx) => ctx.load(stepList.byForm, id),
  }),
)

builder.objectField(OrderType, 'step', (t) =>
  t.node('stepId', {
    type: StepType,
    description: 'Funnel step on whose page the order was placed. Null if there is none or it was deleted.',
  }),
)

builder.queryFields((t) => ({
  funnelStep: t.nodeById({
    type: StepType,
    description: 'Returns a funnel step, or null if the account has no step with this ID.',
  }),
}))

async function existing<Row>(rows: Promise<Row | null>[]): Promise<Row[]> {
  return (await Promise.all(rows)).filter((row) => row !== null)
}

/** The required input field for a step. */
export const stepId = (t: InputBuilder) => t.id(requiredId('the step'))
const ids = (t: InputBuilder, description: string) => t.idList({ description })

/** The input field for the HTML title of the page of a step. */
export const titleField = (t: InputBuilder) =>
  t.string({
    description: 'HTML title of the page. Maximum 255 characters. If empty, the page uses the name of the step.',
  })

/** The input field for the meta description of the page of a step. */
export const descriptionField = (t: InputBuilder) =>
  t.string({ description: 'Meta description of the page for search engines. Maximum 1,000 characters.' })

const type = (t: InputBuilder) =>
  t.int({ description: 'Number with a meaning that the client defines: 0 or more. Defaults to 1 for a new step.' })
const formId = (t: InputBuilder, otherwise: string) =>
  t.id({
    description: `${idText('the form on which visitors opt in')} It must be published and belong to no other step. It is archived or deleted with the step. ${scopeText('forms:write')} ${otherwise}`,
  })
const needsOfForm = (input: { formId?: string | number | null | undefined }) => [
  input.formId == null ? null : ('forms:write' as const),
]

/** The payload of a change to a step. */
export const changedStep = (t: Payload<{ step: FunnelStep }>) => ({
  step: t.expose('step', { type: StepType, description: 'The created or updated step.' }),
})

mutation('funnelStepCreate', {
  needs: 'funnels:write',
  alsoNeeds: needsOfForm,
  description:
    'Creates a step at the end of a funnel, with an opt-in form. The path is derived from the name, with a number appended if another step of the funnel has it. Throws NOT_FOUND if the funnel or the form does not exist.',
  input: (t) => ({
    funnelId: funnelId(t),
    name: t.string({ required: true, description: 'Name of the step. Maximum 255 characters.' }),
    type: type(t),
    title: titleField(t),
    description: descriptionField(t),
    formId: formId(t, 'Defaults to a new form with questions for an e-mail address and a first name.'),
  }),
  run: steps.create,
  payload: changedStep,
})

mutation('funnelStepUpdate', {
  needs: 'funnels:write',
  alsoNeeds: (input) => [
    ...needsOfForm(input),
    input.tagIds?.length ? 'contacts:write' : null,
    input.sequenceIds?.length ? 'sequences:write' : null,
  ],
  description:
    'Updates a step. Fields that are not sent stay unchanged. Throws NOT_FOUND if the step, the form, a tag or a sequence does not exist, and PATH_TAKEN if another step of the funnel has the path.',
  input: (t) => ({
    id: stepId(t),
    name: t.string({ description: 'Name of the step. Maximum 255 characters.' }),
    type: type(t),
    title: titleField(t),
    description: descriptionField(t),
    path: t.string({
      description:
        'Last segment of the page URL, unique in the funnel: lowercase letters and digits, in words joined by hyphens. Maximum 100 characters.',
    }),
    formId: formId(
      t,
      'The former form stays published under its own URL. Statistics of the step count the submissions of the new form, also earlier ones.',
    ),
    tagIds: ids(
      t,
      `${idsText('the tags that an opt-in adds to the contact')} Maximum ${steps.maxLinks}. Replaces the current list. ${scopeText('contacts:write', 'unless empty')}`,
    ),
    sequenceIds: ids(
      t,
      `${idsText('the sequences in which an opt-in enrols the contact')} Maximum ${steps.maxLinks}. Replaces the current list. ${scopeText('sequences:write', 'unless empty')}`,
    ),
  }),
  run: steps.update,
  lock: async (tx, { id }) => (await stepList.lock(tx, id)).step,
  payload: changedStep,
})

mutation('funnelStepMove', {
  needs: 'funnels:write',
  description:
    'Moves a step to another position in its funnel. The positions of the other steps shift. Throws NOT_FOUND if the account has no such step.',
  input: (t) => ({
    id: stepId(t),
    position: t.int({ required: true, description: 'New position, from 1 to the number of steps.' }),
  }),
  run: steps.move,
  payload: changedStep,
})

mutation('funnelStepDelete', {
  needs: 'funnels:write',
  description:
    'Deletes a step with its content permanently. The positions of later steps decrease by 1. A form with submissions is archived. A background job deletes the visits. Throws NOT_FOUND if the account has no such step.',
  input: (t) => ({ id: stepId(t) }),
  run: steps.remove,
  payload: (t) => ({
    ...deletedNode(t, StepType),
    funnel: t.expose('funnel', { type: FunnelType, description: 'Funnel of the deleted step.' }),
  }),
})
