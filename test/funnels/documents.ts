import { newWorld, type World } from '../support/world.ts'

/** Creates an account with a subdomain for its pages. */
export async function newShop(options: Parameters<typeof newWorld>[0] = {}): Promise<World> {
  return newWorld({ subdomain: subdomain(), ...options })
}

/** Returns an unused subdomain. */
export function subdomain(): string {
  return `shop-${Math.random().toString(36).slice(2, 12)}`
}

/** Returns a page with these elements in one column. */
export function page(...elements: readonly unknown[]): { version: 1; settings: object; root: object[] } {
  const column = { type: 'column', children: elements }
  return { version: 1, settings: {}, root: [{ type: 'section', children: [{ type: 'row', children: [column] }] }] }
}

/** The place of the elements in such a page. */
export const inPage = 'root.0.children.0.children.0.children'

export const StepUpdate = `mutation ($input: FunnelStepUpdateInput!) { funnelStepUpdate(input: $input) {
  step { name path type position title description tags { name } sequences { name } } } }`
export const StepMove =
  'mutation ($id: ID!, $position: Int!) { funnelStepMove(input: { id: $id, position: $position }) { step { position } } }'
export const ContentSet = `mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) {
  version step { title description content publishedVersion } } }`
export const Publish = `mutation ($input: FunnelStepPublishInput!) { funnelStepPublish(input: $input) {
  step { content publishedVersion } } }`
export const VisitRecord = 'mutation ($input: VisitRecordInput!) { visitRecord(input: $input) { counted } }'
