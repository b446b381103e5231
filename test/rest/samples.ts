import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import type { Route } from '../../rest-bridge/route.ts'
import type { World } from './support.ts'

/** Things of one account that every route can be asked about. */
export interface Belongings {
  contact_id: number
  tag_id: number
  custom_field_id: number
  sequence_id: number
  stage_id: number
  campaign_id: number
  scheduled_campaign_id: number
}

/** A contact that has a tag and is in a sequence with one stage, a custom field, a draft and a scheduled campaign. */
export async function belongingsOf(world: World): Promise<Belongings> {
  const contact = await world.contact()
  const tag = await world.tag()
  const field = await world.customField(`field ${randomUUID()}`)
  await world.call('POST', '/v1/contact-tag', { body: { contact_id: contact.id, tag_id: tag.id } })
  const sequence = await world.sequence()
  const stage = await world.stage(sequence.id)
  await world.call('POST', '/v1/contact-sequence', { body: { contact_id: contact.id, sequence_id: sequence.id } })
  return {
    contact_id: contact.id,
    tag_id: tag.id,
    custom_field_id: field.id,
    sequence_id: sequence.id,
    stage_id: stage.id,
    campaign_id: (await world.campaign()).id,
    scheduled_campaign_id: (await world.campaign({ scheduled_for: '2099-12-24 18:00' })).id,
  }
}

/** The fields that a route takes, by the table it is declared in. */
export function fieldsOf(route: Route): Readonly<Record<string, z.ZodType>> {
  return (route.method === 'GET' ? route.query : route.body).shape as Record<string, z.ZodType>
}

/** The fields of a route that hold ids, in the order of its declaration. */
export function idFieldsOf(route: Route): string[] {
  return Object.keys(fieldsOf(route)).filter(
    (field) => /_ids?$/.test(field) && !/^(incl|excl)_|^(tag|sequence)_ids$/.test(field),
  )
}

/** An input that a route answers with success, all ids being those of `belongings`. */
export function sampleOf(route: Route, belongings: Belongings): Record<string, unknown> {
  const values: Record<string, () => unknown> = {
    ...Object.fromEntries(Object.entries(belongings).map(([name, id]) => [name, () => id])),
    contact_ids: () => [belongings.contact_id],
    name: () => `name ${randomUUID()}`,
    value: () => 'a value',
    html: () => '<p>Hello</p>',
    scheduled_for: () => '2099-12-24 18:00',
    ...(route.id === 'CAM-UNSCHEDULE' && { campaign_id: () => belongings.scheduled_campaign_id }),
    period: () => 'all',
  }
  const fields = Object.keys(fieldsOf(route))
  // Where a contact may be named by its id, its e-mail address is not needed as well.
  if (!fields.includes('contact_id')) values['email'] = () => `${randomUUID()}@example.com`
  return Object.fromEntries(fields.flatMap((field) => (values[field] ? [[field, values[field]()]] : [])))
}
