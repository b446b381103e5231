import type { Ctx } from '../../db/context.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { changedStep, descriptionField, StepType, stepId, titleField } from '../funnel/step.schema.ts'
import * as stepList from '../funnel/step-list.ts'
import * as contents from './contents.ts'
import { pageSchema } from './page-document.ts'
import * as pagePreview from './preview.ts'

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

builder.prismaObjectFields(StepType, (t) => ({
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
    complexity: 100,
    resolve: (step, { content }, ctx) => pagePreview.render(ctx, step, content),
  }),
  versions: t.field({
    type: [StepVersionType],
    description: `Saved versions, newest first: the newest ones and the published one. Maximum ${contents.maxVersions}.`,
    complexity: listCost('versions'),
    resolve: ({ id }, _args, ctx) => ctx.load(contents.versionsOf, id),
  }),
}))

builder.queryFields((t) => ({
  pageSchema: t.field({
    type: 'JSON',
    description: 'Returns the JSON Schema (draft 2020-12) of page documents, the `content` of `funnelStepContentSet`.',
    complexity: 10,
    resolve: allowed('funnels:read', () => pageSchema),
  }),
}))

mutation('funnelStepContentSet', {
  needs: 'funnels:write',
  description: `Saves the content of a page as a new version. The newest ${contents.maxVersions} versions and the published version are kept. Throws NOT_FOUND if the account has no such step, and VALIDATION_ERROR with the path of each invalid value.`,
  input: (t) => ({
    id: stepId(t),
    content: t.field({
      type: 'JSON',
      required: true,
      description:
        'Page document as described by `pageSchema`, as an object or as JSON text. Maximum 512 KiB, 12 levels, 2,000 nodes, 100,000 values and fewer than 5,000 merge fields. The HTML of one element has at most 10,000 elements, nested at most 100 deep.',
    }),
    title: titleField(t),
    description: descriptionField(t),
    publish: t.boolean({ description: 'Whether to publish the new version. Defaults to true.' }),
  }),
  run: contents.set,
  lock: (tx, { id }) => stepList.lockRow(tx, id),
  outside: 'preparation',
  payload: (t) => ({
    ...changedStep(t),
    version: t.exposeInt('version', { description: 'Number of the saved version.' }),
  }),
})

mutation('funnelStepPublish', {
  needs: 'funnels:write',
  description: 'Publishes a saved version of a page. Throws NOT_FOUND if the step or the version does not exist.',
  input: (t) => ({
    id: stepId(t),
    version: t.int({ description: 'Number of the version. Defaults to the newest version.' }),
  }),
  run: contents.publish,
  payload: changedStep,
})

async function contentOf(ctx: Ctx, version: Pick<contents.StepVersion, 'stepId' | 'version'>): Promise<unknown> {
  return (await ctx.load(contents.contentOf, contents.versionKey(version)))?.content ?? null
}
