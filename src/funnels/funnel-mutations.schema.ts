import type { Funnel } from '../../prisma/generated/client/client.ts'
import { ContactRef } from '../contacts/contact.schema.ts'
import { AttributionInput } from '../graphql/attribution.ts'
import type { Schema } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { FunnelType, FunnelTypeEnum } from './funnel.schema.ts'
import { contents, funnelList, funnels, stepList, steps, visits } from './index.ts'
import './statistics.schema.ts'
import { StepType, type WithStep } from './step.schema.ts'

type Payload<Result> = PothosSchemaTypes.ObjectFieldBuilder<Schema, Result>

const whichFunnel = (t: InputBuilder) => t.id({ required: true, description: 'The funnel, by global id or integer.' })
const whichStep = (t: InputBuilder) => t.id({ required: true, description: 'The step, by global id or integer.' })
const ids = (t: InputBuilder, description: string) => t.idList({ description })
const title = (t: InputBuilder) => t.string({ description: 'The title in browsers: 255 characters at most.' })
const description = (t: InputBuilder) =>
  t.string({ description: 'What search engines say of it: 1,000 characters at most.' })
const type = (t: InputBuilder) => t.int({ description: 'A number of your own, 0 or more; 1 for a new step.' })

const changedFunnel = (t: Payload<{ funnel: Funnel }>) => ({
  funnel: t.field({
    type: FunnelType,
    description: 'The funnel after this.',
    resolve: asOfNow(funnelList.byId, (result: { funnel: Funnel }) => result.funnel),
  }),
})
const changedStep = (t: Payload<WithStep>) => ({
  step: t.field({
    type: StepType,
    description: 'The step after this.',
    resolve: asOfNow(stepList.byId, (result: WithStep) => result.step),
  }),
})
const gone = (t: Payload<{ databaseId: number }>) => ({
  databaseId: t.exposeInt('databaseId', { description: 'The integer that it had.' }),
})

mutation('funnelCreate', {
  needs: 'funnels:write',
  description: 'Makes a funnel without steps. Fails with NO_SUBDOMAIN where the account has none.',
  input: (t) => ({
    name: t.string({ required: true, description: 'What it is called: 255 characters at most.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'What it is for; BLANK where absent.' }),
  }),
  run: funnels.create,
  payload: changedFunnel,
})

mutation('funnelUpdate', {
  needs: 'funnels:write',
  description: 'Changes a funnel: only what is sent.',
  input: (t) => ({
    id: whichFunnel(t),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'What it is for.' }),
  }),
  run: funnels.update,
  payload: changedFunnel,
})

mutation('funnelDelete', {
  needs: 'funnels:write',
  description:
    'Deletes a funnel with its steps and their contents, for good. Forms that were answered are archived and kept, and so is what was sold.',
  input: (t) => ({ id: whichFunnel(t) }),
  run: funnels.remove,
  payload: gone,
})

mutation('funnelStepCreate', {
  needs: 'funnels:write',
  description:
    'Adds a step at the end of a funnel, with a form to opt in on. Its path is made of its name, with a number where that is taken.',
  input: (t) => ({
    funnelId: whichFunnel(t),
    name: t.string({ required: true, description: 'What it is called: 255 characters at most.' }),
    type: type(t),
    title: title(t),
    description: description(t),
  }),
  run: steps.create,
  payload: changedStep,
})

mutation('funnelStepUpdate', {
  needs: 'funnels:write',
  alsoNeeds: ({ tagIds, sequenceIds }) => [
    tagIds?.length ? 'contacts:write' : null,
    sequenceIds?.length ? 'sequences:write' : null,
  ],
  description:
    'Changes a step: only what is sent. Fails with PATH_TAKEN where another step of the funnel has the path.',
  input: (t) => ({
    id: whichStep(t),
    name: t.string({ description: 'What it is called: 255 characters at most.' }),
    type: type(t),
    title: title(t),
    description: description(t),
    path: t.string({ description: 'Small letters and digits, in words joined by hyphens: 100 characters at most.' }),
    tagIds: ids(
      t,
      `The tags that opting in brings: ${steps.maxLinks} at most. Needs the scope \`contacts:write\` unless empty.`,
    ),
    sequenceIds: ids(
      t,
      `The sequences that opting in enrols in: ${steps.maxLinks} at most. Needs the scope \`sequences:write\` unless empty.`,
    ),
  }),
  run: steps.update,
  payload: changedStep,
})

mutation('funnelStepMove', {
  needs: 'funnels:write',
  description: 'Moves a step to another place in its funnel; the others close up.',
  input: (t) => ({
    id: whichStep(t),
    order: t.int({ required: true, description: 'Its new place; the first is 1.' }),
  }),
  run: steps.move,
  payload: changedStep,
})

mutation('funnelStepDelete', {
  needs: 'funnels:write',
  description:
    'Deletes a step with its contents, for good; those behind it close up. A form that was answered is archived and kept.',
  input: (t) => ({ id: whichStep(t) }),
  run: steps.remove,
  payload: gone,
})

mutation('funnelStepContentSet', {
  needs: 'funnels:write',
  description: `Saves what a page shows, as a new version; the last ${contents.maxVersions} are kept.`,
  input: (t) => ({
    id: whichStep(t),
    content: t.field({
      type: 'JSON',
      required: true,
      description:
        "The builder's document as `pageSchema` describes it, or its JSON as text: 512 kB, 12 levels, 2,000 nodes, 100,000 values and 5,000 merge fields at most. The HTML of one element has at most 10,000 elements, 100 of them inside each other.",
    }),
    title: title(t),
    description: description(t),
    publish: t.boolean({ description: 'Whether the page shows it from now on. Yes, where absent.' }),
  }),
  run: contents.set,
  payload: (t) => ({
    ...changedStep(t),
    version: t.exposeInt('version', { description: 'The number of what was saved.' }),
  }),
})

mutation('funnelStepPublish', {
  needs: 'funnels:write',
  description: 'Shows a version of a page from now on. A version that is not there is NOT_FOUND.',
  input: (t) => ({
    id: whichStep(t),
    version: t.int({ description: 'Which one; the newest where absent.' }),
  }),
  run: contents.publish,
  payload: changedStep,
})

mutation('visitRecord', {
  needs: 'funnels:write',
  description: 'Keeps that a visitor looked at a page.',
  input: (t) => ({
    stepId: whichStep(t),
    visitorId: t.string({
      required: true,
      description: 'Who: what tells one visitor from another, and says no more. 64 characters at most.',
    }),
    contact: t.field({ type: ContactRef, description: 'Which contact the visitor is, where that is known.' }),
    attribution: t.field({
      type: [AttributionInput],
      required: { list: false, items: true },
      description: 'Where the visitor came from: each key once.',
    }),
    isBot: t.boolean({ description: 'Whether it was a machine: kept, and not counted. No, where absent.' }),
    at: t.field({ type: 'DateTime', description: 'When, where that was earlier; never in the future.' }),
  }),
  run: visits.record,
  payload: (t) => ({
    counted: t.exposeBoolean('counted', { description: 'Whether it counts in the figures of the funnel.' }),
  }),
})
