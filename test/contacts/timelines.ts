import type { Named, World } from '../support/world.ts'

/** An entry of a timeline as the tests read it. */
export interface Entry {
  readonly __typename: string
  readonly id: string
  readonly type: string
  readonly occurredAt: string
  readonly [field: string]: unknown
}

const change = `field oldValue newValue tag { name } customField { name }
  actor { kind objectId object { ... on ApiKey { name } ... on ContactImport { fileName } ... on SequenceStage { step } } }`
export const Timeline = `query ($ref: ContactRefInput!, $types: [TimelineEntryType!], $first: Int, $after: String) {
  contact(ref: $ref) { timeline(types: $types, first: $first, after: $after) {
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor node { id } }
    nodes { __typename id type occurredAt
      ... on ContactChange { ${change} }
      ... on ConsentEntry { consent { kind granted } }
      ... on MessageSentEntry { recipient { id } }
      ... on MessageOpenedEntry { times recipient { id } }
      ... on MessageClickedEntry { url times recipient { id } }
      ... on AddressSuppressedEntry { suppression { email reason } }
      ... on EnrolmentEntry { enrolment { state } }
      ... on OrderEntry { order { idOrder } }
      ... on SubmissionEntry { submission { status } }
      ... on VisitEntry { step { name } funnel { name } attribution { key value } }
    } } } }`

/** Returns a page of the timeline of a contact. */
export async function timelineOf(world: World, ref: { id?: string; email?: string }, args: object = {}, key?: string) {
  const { contact } = await world.run(Timeline, { ref, ...args }, key === undefined ? {} : { key })
  return contact.timeline as {
    readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string }
    readonly edges: readonly { cursor: string; node: { id: string } }[]
    readonly nodes: readonly Entry[]
  }
}

/** Returns the ids of the entries of a timeline, read in pages of a size. */
export async function pagedIds(world: World, { id }: Pick<Named, 'id'>, first: number, types?: readonly string[]) {
  const ids: string[] = []
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo } = await timelineOf(world, { id }, { first, after, types })
    ids.push(...nodes.map((node) => node.id))
    if (!pageInfo.hasNextPage) return ids
    after = pageInfo.endCursor
  }
}

const changeTypes = ['CONTACT_CREATED', 'FIELD_CHANGED', 'CUSTOM_FIELD_CHANGED', 'TAG_ADDED', 'TAG_REMOVED']

/** Returns the changes of a contact, oldest first, each as a line: type, what, old and new value, actor. */
export async function changesOf(world: World, ref: { id?: string; email?: string }): Promise<string[]> {
  const { nodes } = await timelineOf(world, ref, { types: changeTypes, first: 100 })
  // biome-ignore lint/suspicious/noExplicitAny: the shape of the document above
  return nodes.toReversed().map((node: any) => {
    const what = node.field ?? node.tag?.name ?? node.customField?.name ?? ''
    const values = node.type.endsWith('_CHANGED') ? `${node.oldValue} > ${node.newValue}` : ''
    const { kind, object } = node.actor
    const actor = `${kind} ${object?.name ?? object?.fileName ?? object?.step ?? ''}`.trim()
    return [node.type, what, values, actor].filter((part) => part !== '').join(' | ')
  })
}
