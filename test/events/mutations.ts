import { asUser, type SignedIn } from '../support/session.ts'
import type { AskOptions, Named, World } from '../support/world.ts'

/** Integer IDs of the objects of an account. */
export interface Ids {
  contact: number
  /** Another contact, which has consented and is in no sequence. */
  other: number
  tag: number
  topic: number
  segment: number
  field: number
  media: number
  reusableBlock: number
  emailTemplate: number
  key: number
  /** An editor, and a session of the editor that sends no request. */
  user: number
  session: number
  /** The contact is enrolled in it, and has completed the first of its two stages. */
  sequence: number
  /** Its second stage: an active e-mail, and the only remaining stage. */
  stage: number
  /** Another sequence with a stage and without contacts. */
  free: number
  /** A complete draft for all contacts; at least one contact has given consent. */
  campaign: number
  /** A scheduled campaign. */
  planned: number
  failed: number
  /** A waiting and a completed order. */
  order: number
  paid: number
  /** A waiting transaction without an invoice. */
  payment: number
  /** An unpaid invoice of 12.00 EUR. */
  invoice: number
  /** An active subscription, and one whose payment failed. */
  plan: number
  lapsed: number
  /** A funnel with a step that has a published page. */
  funnel: number
  step: number
  /** A published form with two questions and an outcome, and a form that was never published. */
  form: number
  draft: number
  /** The first question and the outcome of the form, and a submission in progress without answers. */
  question: number
  outcome: number
  submission: number
  /** A webhook with a delivery. */
  webhook: number
  delivery: number
  /** An import that waits for a review. */
  reviewed: number
  bulkJob: number
  /** A campaign that is being sent. */
  sending: number
}

/** Input of a mutation for the objects of an account, and the events that it emits, in this order. */
export interface Announcement {
  input(ids: Ids): Record<string, unknown>
  select: string
  events(ids: Ids): unknown[]
  /** Whether only a user can call it, and no API key. */
  readonly isOfUser?: true
}

/** Returns the options of a request with the mutation: the main key, or the session of the user. */
export function callerOf({ isOfUser }: Announcement, user: SignedIn): AskOptions {
  return isOfUser ? asUser(user) : {}
}

/** A suppressed address. */
export const suppressed = 'suppressed@example.com'

/** Objects without an ID: a suppressed address, a domain with a DKIM key, and a domain to be verified. */
export async function mailSettings({ accountId, run, rows }: World): Promise<void> {
  await run(`mutation {
    accountUpdate(input: { senderEmail: "ada@example.com" }) { account { id } }
    suppressionAdd(input: { email: "${suppressed}" }) { suppression { id } } }`)
  // Creating a key takes longer than everything else here.
  await rows(
    `INSERT INTO dkim_key (account_id, domain, selector, private_key, public_key, created_at)
     VALUES ($1, 'example.com', 'old', '', '', now())`,
    [accountId],
  )
  await rows(
    `INSERT INTO sender_problem (account_id, domain, cause, failures, detail, first_at, last_at)
     VALUES ($1, 'strict.example', 'POLICY', 1, 'refused', now(), now()) ON CONFLICT DO NOTHING`,
    [accountId],
  )
  await rows(
    "INSERT INTO sender_domain (account_id, domain, token, created_at) VALUES ($1, 'example.com', 'token', now())",
    [accountId],
  )
}

/** Returns the document of a mutation with its input as a variable. */
export function mutationOf(field: string, select: string): string {
  return `mutation ($input: ${field[0]?.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${select} } }`
}

/** A campaign in ERROR, because it has no content. */
export async function failedCampaign(world: World, name = 'failed'): Promise<Named> {
  const create = 'mutation ($name: String!) { campaignCreate(input: { name: $name }) { campaign { id databaseId } } }'
  const { campaign } = (await world.run(create, { name })).campaignCreate
  const send = 'mutation ($id: ID!) { campaignSend(input: { id: $id, errorAsStatus: true }) { campaign { status } } }'
  await world.run(send, campaign)
  return campaign
}

/** A campaign that is being sent to all contacts with consent. */
export async function sendingCampaign(world: World, name = 'sending'): Promise<Named> {
  const { id, databaseId } = await world.campaign({ name, audience: { sendToAll: true } })
  await world.run('mutation ($id: ID!) { campaignSend(input: { id: $id }) { campaign { status } } }', { id })
  return { id, databaseId }
}
