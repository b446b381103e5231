import { expect } from 'vitest'
import { messageToken } from '../../src/mail/messages/message-tokens.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { type Message, message } from './support.ts'

/** The secret of every test's server. */
const secret = 'a secret that only tests know'

/** A message that was sent to a contact. */
export interface Sent {
  readonly world: World
  readonly contact: Named & { email: string }
  readonly recipientId: bigint
  /** With angle brackets. */
  readonly messageId: string
}

/** Creates a sent message, in a new account by default. */
export async function sentMessage(input: { world?: World; email?: string } & Message = {}): Promise<Sent> {
  const { world = await newWorld(), email, ...more } = input
  const contact = await world.contact({ emailMarketing: true, ...(email !== undefined && { email }) })
  const recipientId = await message(world, contact, { campaignId: 7, ...more })
  const messageId = `<${messageToken(secret, { accountId: world.accountId, recipientId })}@example.org>`
  return { world, contact, recipientId, messageId }
}

/** Posts to the bounce webhook of a provider. */
export async function report(
  { server }: Pick<World, 'server'>,
  provider: string,
  body: string | object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { received?: number; known?: number; message?: string } }> {
  const response = await fetch(`${server.url}/hooks/bounces/${provider}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  expect(response.headers.get('content-type')).toContain('application/json')
  return { status: response.status, body: (await response.json()) as never }
}

/** Reads the effects of a report as a client sees them. */
export async function aftermath({ world, contact }: Sent) {
  const document = `query ($ref: ContactRefInput!) {
    contact(ref: $ref) { emailMarketing messages { nodes { state } } }
    suppressions { nodes { email reason detail } } }`
  const found = await world.run(document, { ref: { id: contact.id } })
  return {
    states: found.contact.messages.nodes.map(({ state }: { state: string }) => state),
    agreed: found.contact.emailMarketing,
    suppressed: found.suppressions.nodes,
    announced: (await world.announced()).map(({ type }) => type).filter((type) => /^email|unsubscribed$/.test(type)),
  }
}

/** The state without a report. */
export const untouched = { states: ['SENT'], agreed: true, suppressed: [], announced: [] }
