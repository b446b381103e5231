import { tags } from '../contacts/index.ts'
import { TagType } from '../contacts/tag.schema.ts'
import type { Ctx } from '../db/context.ts'
import { OrderType } from '../finance/order.schema.ts'
import { FormType } from '../forms/form.schema.ts'
import { builder } from '../graphql/builder.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { sequences } from '../sequences/index.ts'
import { SequenceObject } from '../sequences/sequence.schema.ts'
import * as contents from './contents.ts'
import { FunnelType } from './funnel.schema.ts'
import { pageSchema } from './page-document.ts'
import * as pagePreview from './page-preview.ts'
import * as stepList from './step-list.ts'
import * as steps from './steps.ts'

const StepVersionType = builder.objectRef<contents.StepVersion>('StepVersion').implement({
  description: 'A saved version of the content of a page.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Number of the version. Increases by 1 with each save.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the save.' }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Page document. Null if the version was deleted while the request ran.',
      complexity: 10,
      resolve: (version, _args, ctx) => contentOf(ctx, version),
    }),
  }),
})

readableWith('StepVersion', 'funnels:read')

export const StepType = builder.prismaObject('FunnelStep', {
  description: 'A step of a funnel: one web page with a form.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
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
    content: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Page document of the published version. Null if no version is published.',
      complexity: 10,
      resolve: ({ id, publishedVersion }, _args, ctx) =>
        publishedVersion === null ? null : contentOf(ctx, { stepId: id, version: publishedVersion }),
    }),
    latestVersion: t.field({
      type: StepVersionType,
      nullable: true,
      description: 'Newest saved version, published or not. Null if no version was saved.',
      complexity: 10,
      resolve: async ({ id }, _args, ctx) => (await ctx.load(contents.versionsOf, id))[0] ?? null,
    }),
    preview: t.string({
      nullable: true,
      description:
        'HTML of the page with the content, which is not saved. Defaults to the newest version. Merge fields show their fallback. Null if the step has no content. Throws VALIDATION_ERROR with the path of each invalid value of the document.',
      args: { content: t.arg({ type: 'JSON', description: 'Page document, as an object or as JSON text.' }) },
      complexity: 450,
      resolve: (step, { content }, ctx) => pagePreview.render(ctx, step, content),
    }),
    versions: t.field({
      type: [StepVersionType],
      description: `Saved versions, newest first: the newest ones and the published one. Maximum ${contents.maxVersions}.`,
      complexity: listCost('versions'),
      resolve: ({ id }, _args, ctx) => ctx.load(contents.versionsOf, id),
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
  pageSchema: t.field({
    type: 'JSON',
    description: 'Returns the JSON Schema (draft 2020-12) of page documents, the `content` of `funnelStepContentSet`.',
    complexity: 10,
    resolve: allowed('funnels:read', () => pageSchema),
  }),
}))

async function contentOf(ctx: Ctx, version: Pick<contents.StepVersion, 'stepId' | 'version'>): Promise<unknown> {
  return (await ctx.load(contents.contentOf, contents.versionKey(version)))?.content ?? null
}

async function existing<Row>(rows: Promise<Row | null>[]): Promise<Row[]> {
  return (await Promise.all(rows)).filter((row) => row !== null)
}
