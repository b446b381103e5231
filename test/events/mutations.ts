import type { Named, World } from '../support/world.ts'

/** One of each thing that an account has, by its integer. */
export interface Ids {
  contact: number
  tag: number
  field: number
  key: number
  /** The contact is enrolled in it, and has done the first of its two stages. */
  sequence: number
  /** Its second stage: an active e-mail, the only one that is left. */
  stage: number
  /** Another sequence, with a stage and nobody in it. */
  free: number
  /** A draft that lacks nothing, for everyone; someone has agreed to marketing e-mail. */
  campaign: number
  /** A campaign that is scheduled. */
  planned: number
  failed: number
  /** An order that waits, and one that is completed. */
  order: number
  paid: number
  /** A transaction that waits and pays no invoice. */
  payment: number
  /** An invoice of 12.00 EUR, of which nothing is paid. */
  invoice: number
  /** A subscription that is active, and one whose payment has failed. */
  plan: number
  lapsed: number
  /** A funnel with a step whose page is published. */
  funnel: number
  step: number
  /** A published form with two questions and an outcome, and a form that was never published. */
  form: number
  draft: number
  /** The form's first question, its outcome, and a submission that is in progress and has no answers. */
  question: number
  outcome: number
  submission: number
  /** A webhook that was sent a message. */
  webhook: number
  delivery: number
  /** A campaign that is on its way. */
  sending: number
}

/** How a mutation is tried, with the ids of an account that has one of each; and what it announces, in this order. */
export interface Announcement {
  input(ids: Ids): Record<string, unknown>
  select: string
  events(ids: Ids): unknown[]
}

/** An address that is suppressed. */
export const suppressed = 'suppressed@example.com'

/** An address that is suppressed, a domain that signs and one that is to be verified: what has no id. */
export async function mailSettings({ accountId, run, rows }: World): Promise<void> {
  await run(`mutation {
    accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } }
    suppressionAdd(input: { email: "${suppressed}" }) { suppression { id } } }`)
  // Making a key takes longer than all else here.
  await rows(
    `INSERT INTO dkim_key (account_id, domain, selector, private_key, public_key, created_at)
     VALUES ($1, 'example.com', 'old', '', '', now())`,
    [accountId],
  )
  await rows(
    "INSERT INTO sender_domain (account_id, domain, token, created_at) VALUES ($1, 'example.com', 'token', now())",
    [accountId],
  )
}

/** The document of one mutation, its input a variable. */
export function mutationOf(field: string, select: string): string {
  return `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`
}

/** A campaign that could not be sent, for it says nothing. */
export async function failedCampaign(world: World, name = 'failed'): Promise<Named> {
  const create = 'mutation ($name: String!) { campaignCreate(input: { name: $name }) { campaign { id databaseId } } }'
  const { campaign } = (await world.run(create, { name })).campaignCreate
  const send = 'mutation ($id: ID!) { campaignSend(input: { id: $id, errorAsStatus: true }) { campaign { status } } }'
  await world.run(send, campaign)
  return campaign
}

/** A campaign that is on its way to everyone who has agreed. */
export async function sendingCampaign(world: World, name = 'sending'): Promise<Named> {
  const { id, databaseId } = await world.campaign({ name, audience: { sendToAll: true } })
  await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', { id })
  return { id, databaseId }
}
