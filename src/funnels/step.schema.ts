import type { FunnelStep } from '../../prisma/generated/client/client.ts'
import { tags } from '../contacts/index.ts'
import { TagType } from '../contacts/tag.schema.ts'
import type { Ctx } from '../db/context.ts'
import { OrderType } from '../finance/order.schema.ts'
import { FormType } from '../forms/form.schema.ts'
import { formList } from '../forms/index.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { sequences } from '../sequences/index.ts'
import { SequenceObject } from '../sequences/sequence.schema.ts'
import { pageSchema } from './page-document.ts'
import { FunnelType } from './funnel.schema.ts'
import { contents, funnelList, stepList, steps } from './index.ts'

const StepVersionType = builder.objectRef<contents.StepVersion>('StepVersion').implement({
  description: 'What a page held when it was saved.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Its number; each save has the next one.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was saved.' }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description: "The builder's document; null where the version has been forgotten in this very moment.",
      complexity: 10,
      resolve: (version, _args, ctx) => contentAt(ctx, version),
    }),
  }),
})

readableWith('StepVersion', 'funnels:read')

export const StepType = builder.prismaObject('FunnelStep', {
  description: 'A page of a funnel.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called among those who made it.' }),
    path: t.exposeString('path', { description: 'The last part of its address; unique in the funnel.' }),
    type: t.exposeInt('type', { description: 'A number that clients give a meaning; 1 unless set.' }),
    order: t.exposeInt('position', { description: 'Its place in the funnel; the first is 1.' }),
    title: t.exposeString('title', { description: 'The title of the page in browsers; may be empty.' }),
    description: t.exposeString('description', { description: 'What search engines say of it; may be empty.' }),
    url: t.string({
      nullable: true,
      description: 'Where the page is; null where the account has no subdomain.',
      resolve: (step, _args, ctx) => stepList.urlOf(ctx, step),
    }),
    form: t.field({
      type: FormType,
      nullable: true,
      description: needing('forms:read', 'The form that visitors opt in on.'),
      resolve: allowed('forms:read', ({ formId }, _args, ctx) => ctx.load(formList.byId, formId)),
    }),
    funnel: t.field({
      type: FunnelType,
      nullable: true,
      description: 'The funnel it belongs to; null where that was deleted in this very moment.',
      resolve: ({ funnelId }, _args, ctx) => ctx.load(funnelList.byId, funnelId),
    }),
    tags: t.field({
      type: [TagType],
      nullable: true,
      description: needing('contacts:read', `The tags that opting in brings: ${steps.maxLinks} at most.`),
      complexity: listCost('links'),
      resolve: allowed('contacts:read', ({ tagIds }, _args, ctx) =>
        existing(tagIds.map((id) => ctx.load(tags.byId, id))),
      ),
    }),
    sequences: t.field({
      type: [SequenceObject],
      nullable: true,
      description: needing('sequences:read', `The sequences that opting in enrols in: ${steps.maxLinks} at most.`),
      complexity: listCost('links'),
      resolve: allowed('sequences:read', ({ sequenceIds }, _args, ctx) =>
        existing(sequenceIds.map((id) => ctx.load(sequences.byId, id))),
      ),
    }),
    publishedVersion: t.exposeInt('publishedVersion', {
      nullable: true,
      description: 'The version that the page shows; null where none was published.',
    }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description: "The builder's document that the page shows; null where none was published.",
      complexity: 10,
      resolve: ({ id, publishedVersion }, _args, ctx) =>
        publishedVersion === null ? null : contentAt(ctx, { stepId: id, version: publishedVersion }),
    }),
    versions: t.field({
      type: [StepVersionType],
      description: `What was saved, the newest first: the last ${contents.maxVersions}, the published one among them.`,
      complexity: listCost('versions'),
      resolve: ({ id }, _args, ctx) => ctx.load(contents.versionsOf, id),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it or its content last changed.' }),
  }),
})

nodeSource('FunnelStep', 'funnels:read', stepList.byId)

builder.prismaObjectField(FunnelType, 'steps', (t) =>
  t.field({
    type: [StepType],
    description: `Its pages, in their order: ${stepList.maxSteps} at most.`,
    complexity: listCost('steps'),
    resolve: ({ id }, _args, ctx) => ctx.load(stepList.ofFunnel, id),
  }),
)

builder.objectField(FormType, 'step', (t) =>
  t.field({
    type: StepType,
    nullable: true,
    description: needing('funnels:read', 'The funnel step it was made with; null for any other form.'),
    resolve: allowed('funnels:read', ({ id }, _args, ctx) => ctx.load(stepList.byForm, id)),
  }),
)

builder.objectField(OrderType, 'step', (t) =>
  t.field({
    type: StepType,
    nullable: true,
    description: needing('funnels:read', 'The funnel step that sold it; null where none did, or it is gone.'),
    resolve: allowed('funnels:read', ({ stepId }, _args, ctx) =>
      stepId === null ? null : ctx.load(stepList.byId, stepId),
    ),
  }),
)

builder.queryFields((t) => ({
  funnelStep: t.field({
    type: StepType,
    nullable: true,
    description: needing('funnels:read', 'A step of a funnel, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The step, by global id or integer.' }) },
    resolve: allowed('funnels:read', (_root, { id }, ctx) => ctx.load(stepList.byId, idOf('FunnelStep', id))),
  }),
  pageSchema: t.field({
    type: 'JSON',
    description: needing(
      'funnels:read',
      "The JSON Schema of the builder's documents, which `funnelStepContentSet` takes.",
    ),
    complexity: 10,
    resolve: allowed('funnels:read', () => pageSchema),
  }),
}))

async function contentAt(ctx: Ctx, place: Pick<contents.StepVersion, 'stepId' | 'version'>): Promise<unknown> {
  return (await ctx.load(contents.contentOf, contents.placeOf(place)))?.content ?? null
}

async function existing<Row>(rows: Promise<Row | null>[]): Promise<Row[]> {
  return (await Promise.all(rows)).filter((row) => row !== null)
}

/** What a mutation answers of a step. */
export type WithStep = { step: FunnelStep }
