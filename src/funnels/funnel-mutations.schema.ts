import type { Funnel, FunnelStep } from '../../prisma/generated/client/client.ts'
import { AttributionInput } from '../contacts/attribution.schema.ts'
import { ContactRef } from '../contacts/contact.schema.ts'
import { deletedNode, type InputBuilder, mutation, type Payload } from '../graphql/mutation.ts'
import * as archiving from './archiving.ts'
import * as contents from './contents.ts'
import * as duplication from './duplication.ts'
import { FunnelType, FunnelTypeEnum } from './funnel.schema.ts'
import * as funnels from './funnels.ts'
import * as steps from './steps.ts'
import * as visits from './visits.ts'
import './statistics.schema.ts'
import { StepType } from './step.schema.ts'

const funnelId = (t: InputBuilder) => t.id({ required: true, description: 'Global ID or database ID of the funnel.' })
const stepId = (t: InputBuilder) => t.id({ required: true, description: 'Global ID or database ID of the step.' })
const ids = (t: InputBuilder, description: string) => t.idList({ description })
const title = (t: InputBuilder) =>
  t.string({
    description: 'HTML title of the page. Maximum 255 characters. If empty, the page uses the name of the step.',
  })
const description = (t: InputBuilder) =>
  t.string({ description: 'Meta description of the page for search engines. Maximum 1,000 characters.' })
const type = (t: InputBuilder) =>
  t.int({ description: 'Number with a meaning that the client defines: 0 or more. Defaults to 1 for a new step.' })
const formId = (t: InputBuilder, otherwise: string) =>
  t.id({
    description: `Global ID or database ID of the form on which visitors opt in: a published form that belongs to no other step. It is archived or deleted with the step. Needs the scope \`FORMS_WRITE\`. ${otherwise}`,
  })
const needsOfForm = (input: { formId?: string | number | null | undefined }) => [
  input.formId == null ? null : ('forms:write' as const),
]

const changedFunnel = (t: Payload<{ funnel: Funnel }>) => ({
  funnel: t.expose('funnel', { type: FunnelType, description: 'The created or updated funnel.' }),
})
const changedStep = (t: Payload<{ step: FunnelStep }>) => ({
  step: t.expose('step', { type: StepType, description: 'The created or updated step.' }),
})

mutation('funnelCreate', {
  needs: 'funnels:write',
  description:
    'Creates a funnel without steps. Throws NO_SUBDOMAIN if the account has no subdomain. Throws QUOTA_EXCEEDED if the account has reached its limit of funnels.',
  input: (t) => ({
    name: t.string({ required: true, description: 'Name of the funnel. Maximum 255 characters.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'Purpose of the funnel. Defaults to `BLANK`.' }),
  }),
  run: funnels.create,
  payload: changedFunnel,
})

mutation('funnelUpdate', {
  needs: 'funnels:write',
  description:
    'Updates a funnel. Fields that are not sent stay unchanged. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({
    id: funnelId(t),
    name: t.string({ description: 'Name of the funnel. Maximum 255 characters.' }),
    type: t.field({ type: FunnelTypeEnum, description: 'Purpose of the funnel.' }),
  }),
  run: funnels.update,
  payload: changedFunnel,
})

mutation('funnelDuplicate', {
  needs: 'funnels:write',
  description:
    'Creates a funnel with the steps of another one, under the same paths, with copies of their forms and of the published and the newest version of their pages. No page is published: use `funnelStepPublish`. Links that contain the address of the original keep it. Visits, submissions and statistics are not copied. Needs the scopes `CONTACTS_WRITE` and `SEQUENCES_WRITE` if steps add tags or enrol contacts. Throws NOT_FOUND if the account has no such funnel, QUOTA_EXCEEDED if it has reached its limit of funnels, and VALIDATION_ERROR if the pages have more than 50 MB.',
  input: (t) => ({
    id: funnelId(t),
    name: t.string({ description: 'Name of the copy. Maximum 255 characters. Defaults to `Copy of` and the name.' }),
  }),
  run: duplication.duplicate,
  payload: changedFunnel,
})

mutation('funnelArchive', {
  needs: 'funnels:write',
  description:
    'Archives a funnel: its pages return 404 until `funnelRestore`. Its forms stay published under their own URLs; `formArchive` archives them. The funnel stays in lists, statistics and the quota, and can be changed, duplicated and deleted. Idempotent. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: archiving.archive,
  payload: changedFunnel,
})

mutation('funnelRestore', {
  needs: 'funnels:write',
  description:
    'Restores an archived funnel with its published pages. Idempotent. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: archiving.restore,
  payload: changedFunnel,
})

mutation('funnelDelete', {
  needs: 'funnels:write',
  description:
    'Deletes a funnel with its steps and their content permanently. Forms with submissions are archived. Orders are kept. A background job deletes the visits. Throws NOT_FOUND if the account has no such funnel.',
  input: (t) => ({ id: funnelId(t) }),
  run: funnels.remove,
  payload: (t) => deletedNode(t, FunnelType),
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
    title: title(t),
    description: description(t),
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
    title: title(t),
    description: description(t),
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
      `IDs of the tags that an opt-in adds to the contact. Maximum ${steps.maxLinks}. Replaces the current list. Needs the scope \`CONTACTS_WRITE\` unless empty.`,
    ),
    sequenceIds: ids(
      t,
      `IDs of the sequences in which an opt-in enrols the contact. Maximum ${steps.maxLinks}. Replaces the current list. Needs the scope \`SEQUENCES_WRITE\` unless empty.`,
    ),
  }),
  run: steps.update,
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
    title: title(t),
    description: description(t),
    publish: t.boolean({ description: 'Whether to publish the new version. Defaults to true.' }),
  }),
  run: contents.set,
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

mutation('visitRecord', {
  needs: 'funnels:write',
  description:
    'Records the visit of a page outside the pages that this server serves. Emits no event. Throws NOT_FOUND if the step or the contact does not exist.',
  input: (t) => ({
    stepId: stepId(t),
    visitorId: t.string({
      required: true,
      description:
        'Pseudonymous ID that identifies the visitor across visits. Maximum 64 characters. Do not send personal data.',
    }),
    contact: t.field({ type: ContactRef, description: 'The contact, if the visitor is known.' }),
    attribution: t.field({
      type: [AttributionInput],
      required: { list: false, items: true },
      description: 'Attribution parameters of the visit. Each key at most once.',
    }),
    isBot: t.boolean({
      description: 'Whether the visitor is a bot. Visits of bots are stored but not counted. Defaults to false.',
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the visit, not in the future. Defaults to now.' }),
  }),
  run: visits.record,
  isAudited: false,
  payload: (t) => ({
    counted: t.exposeBoolean('counted', {
      description: 'Whether the visit counts in the statistics of the funnel. False for bots.',
    }),
  }),
})
