import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import type { Route } from '../../rest-bridge/envelope/route.ts'
import type { World } from './support.ts'

/** The objects of an account that routes need. */
export interface RouteObjects {
  contact_id: number
  tag_id: number
  custom_field_id: number
  sequence_id: number
  stage_id: number
  campaign_id: number
  scheduled_campaign_id: number
  id_order: string
  subscription_id: number
  form_id: number
  submission_id: number
  question_id: number
  funnel_id: number
  step_id: number
  webhook_id: number
  delivery_id: number
  import_id: number
}

/**
 * Creates a contact with a tag, a custom field and a sequence with one stage, and the other objects that a route needs,
 * or all: campaigns, an order, a subscription, a form, a funnel, a webhook. Objects that are not created have the ID 0.
 */
export async function createRouteObjects(world: World, route?: Route): Promise<RouteObjects> {
  const [contact, tag, field, sequence] = await Promise.all([
    world.contact(),
    world.tag(),
    world.customField(`field ${randomUUID()}`),
    world.sequence(),
  ])
  const [stage] = await Promise.all([
    world.stage(sequence.id),
    world.call('POST', '/v1/contact-tag', { body: { contact_id: contact.id, tag_id: tag.id } }),
  ])
  await world.call('POST', '/v1/contact-sequence', { body: { contact_id: contact.id, sequence_id: sequence.id } })
  const made: RouteObjects = {
    ...nothing,
    contact_id: contact.id,
    tag_id: tag.id,
    custom_field_id: field.id,
    sequence_id: sequence.id,
    stage_id: stage.id,
  }
  const isNeeded = ({ gives, under }: Maker) =>
    !route || gives.some((name) => name in fieldsOf(route)) || (under !== undefined && route.path.startsWith(under))
  for (const maker of makers(world, contact.id)) if (isNeeded(maker)) Object.assign(made, await maker.make())
  return made
}

const nothing: RouteObjects = {
  contact_id: 0,
  tag_id: 0,
  custom_field_id: 0,
  sequence_id: 0,
  stage_id: 0,
  campaign_id: 0,
  scheduled_campaign_id: 0,
  id_order: '',
  subscription_id: 0,
  form_id: 0,
  submission_id: 0,
  question_id: 0,
  funnel_id: 0,
  step_id: 0,
  webhook_id: 0,
  delivery_id: 0,
  import_id: 0,
}

interface Maker {
  readonly gives: readonly (keyof RouteObjects)[]
  /** Path prefixes of routes that need the object whatever their fields are called. */
  readonly under?: string
  make(): Promise<Partial<RouteObjects>>
}

const makers = (world: World, contactId: number): Maker[] => [
  { gives: ['import_id'], make: () => createImport(world) },
  { gives: ['webhook_id', 'delivery_id'], make: () => createWebhook(world) },
  {
    gives: ['campaign_id'],
    make: async () => ({
      campaign_id: (await world.campaign()).id,
      scheduled_campaign_id: (await world.campaign({ scheduled_for: '2099-12-24 18:00' })).id,
    }),
  },
  { gives: ['id_order'], make: async () => ({ id_order: (await world.order()).id_order }) },
  { gives: ['subscription_id'], make: async () => ({ subscription_id: (await world.subscription()).id }) },
  {
    gives: ['form_id', 'submission_id', 'question_id'],
    under: '/v1/form',
    make: () => createSubmission(world, contactId),
  },
  // Creating a funnel needs no ID, but a subdomain, which the account gets here.
  { gives: ['funnel_id', 'step_id'], under: '/v1/funnel', make: () => createFunnel(world) },
]

/** Creates a completed import. */
async function createImport(world: World) {
  const { body } = await world.call('POST', '/v1/contacts-import', { body: { csv: 'email\n' } })
  return { import_id: body.data.id as number }
}

/** Creates a webhook and sends a test message to it. */
async function createWebhook(world: World) {
  const url = `https://hook.invalid/${randomUUID()}`
  const webhook_id = (await world.call('POST', '/v1/webhook', { body: { url } })).body.data.id as number
  const delivery_id = (await world.call('POST', '/v1/webhook-test', { body: { webhook_id } })).body.data.id as number
  return { webhook_id, delivery_id }
}

/** Creates a funnel with a step. */
async function createFunnel(world: World) {
  const { id } = await world.funnel()
  const step = await world.call('POST', '/v1/funnel-step', { body: { funnel_id: id, name: 'Welcome' } })
  return { funnel_id: id, step_id: step.body.data.id as number }
}

/** Creates a form with a question, and a submission of the contact. */
async function createSubmission(world: World, contactId: number) {
  const form = await world.form()
  const submission = await world.submission(form, { contact: { id: contactId } })
  return { form_id: form.id, submission_id: submission.id, question_id: form.questions[0] as number }
}

/** Returns the fields of a route by their table. */
export function fieldsOf(route: Route): Readonly<Record<string, z.ZodType>> {
  return (route.method === 'GET' ? route.query : route.body).shape as Record<string, z.ZodType>
}

/** Returns the ID fields of a route in the order of their declaration. */
export function idFieldsOf(route: Route): string[] {
  // The other fields contain IDs of advertising networks.
  if (route.id === 'FUN-STATS') return ['funnel_id']
  return Object.entries(fieldsOf(route)).flatMap(([field, schema]) => {
    // An ID in a filter need not exist: it then matches no contact.
    const isFilter = route.reply.paginated && schema.safeParse(undefined).success
    return /_ids?$/.test(field) && !/^(incl|excl)_|^(tag|sequence)_ids$/.test(field) && !isFilter ? [field] : []
  })
}

/** Whether a route is about one contact, given by ID or e-mail address. In a list both are filters. */
export function namesContact(route: Route): boolean {
  const fields = fieldsOf(route)
  return 'email' in fields && 'contact_id' in fields && !route.reply.paginated
}

/** Returns a valid input of a route with the IDs of `belongings`. */
export function sampleOf(route: Route, belongings: RouteObjects): Record<string, unknown> {
  const values: Record<string, () => unknown> = {
    ...Object.fromEntries(Object.entries(belongings).map(([name, id]) => [name, () => id])),
    contact_ids: () => [belongings.contact_id],
    name: () => `name ${randomUUID()}`,
    value: () => 'a value',
    url: () => `https://hook.invalid/${randomUUID()}`,
    html: () => '<p>Hello</p>',
    template_json: () => ({ version: 1, root: [] }),
    scheduled_for: () => '2099-12-24 18:00',
    ...(route.id === 'CAM-UNSCHEDULE' && { campaign_id: () => belongings.scheduled_campaign_id }),
    period: () => 'all',
    list: () => 'contacts',
    ...(route.id === 'FORM-GET' && { id: () => belongings.form_id }),
    ...(route.id === 'FORM-SUBMISSION' && { id: () => belongings.submission_id }),
  }
  const fields = Object.keys(fieldsOf(route))
  // If a contact can be given by its ID, its e-mail address is not needed.
  if (!fields.includes('contact_id')) values['email'] = () => `${randomUUID()}@example.com`
  return Object.fromEntries(fields.flatMap((field) => (values[field] ? [[field, values[field]()]] : [])))
}
