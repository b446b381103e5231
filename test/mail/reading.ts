import { type ParsedMail, simpleParser } from 'mailparser'
import { expect } from 'vitest'
import { until } from '../runtime/process.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { countStates, newSender, sharedSender } from './sending.ts'
import { type Behaviour, newSink, type Sink, type SinkMessage } from './sink.ts'

/** An account whose messages go to a sink. */
export interface MailWorld {
  readonly world: World
  readonly sink: Sink
  /**
   * Sends a campaign to all contacts that agreed to marketing e-mail, and waits until `expected` messages are recorded as
   * sent.
   */
  send(content: { html: string; text?: string } & Record<string, unknown>, expected?: number): Promise<Received[]>
}

/** A parsed message. */
export interface Received extends SinkMessage {
  readonly mail: ParsedMail
  readonly html: string
  readonly text: string
}

/** Creates an account whose messages go to the sink of the file, or to one of its own if its sender has settings. */
export async function newMailWorld(
  env: Record<string, string> = {},
  options: { timezone?: string } = {},
  behaviour: Pick<Behaviour, 'delay' | 'beforeAnswer'> = {},
): Promise<MailWorld> {
  const { sink, server } = Object.keys(env).length === 0 ? await sharedSender(behaviour) : await newOwn(env, behaviour)
  const world = await newWorld({ server, ...options })
  return {
    world,
    sink,
    send: async ({ html, text, ...input }, expected = 1) => {
      const before = sink.taken.length
      const { databaseId } = await sendContent(world, { html, text }, input)
      // The sink has a message before the sender has its answer.
      await until(async () => ((await countStates(world, databaseId))['SENT'] ?? 0) >= expected)
      return Promise.all(sink.taken.slice(before).map(read))
    },
  }
}

async function newOwn(env: Record<string, string>, behaviour: Behaviour) {
  const sink = await newSink(behaviour)
  return { sink, server: await newSender(sink.url, env) }
}

/** Creates a contact that agreed to marketing e-mail. */
export async function createSubscriber(
  world: World,
  input: Record<string, unknown> = {},
): Promise<Named & { email: string }> {
  return world.contact({ emailMarketing: true, ...input })
}

/** Returns the URLs in a message whose path starts with `path`. */
export function ownUrls(received: Received, path: string): string[] {
  const pattern = new RegExp(`https?://[^"'\\s<>]+${path}[\\w-]+`, 'g')
  return [...received.html.matchAll(pattern)].map(([url]) => url)
}

/** Returns the URL of the List-Unsubscribe header. */
export function oneClickUrl(received: Received): string {
  const [, url] = /^<(https?:\/\/[^<>\s]+)>$/.exec(headerOf(received, 'list-unsubscribe')) ?? []
  return url ?? ''
}

/** Returns the value of a header, which must be one line. */
export function headerOf({ mail }: Received, name: string): string {
  const lines = mail.headerLines.filter(({ key }) => key === name)
  expect(lines, name).toHaveLength(1)
  return (lines[0]?.line ?? '').slice(name.length + 1).trim()
}

async function sendContent(world: World, content: { html: string; text: string | undefined }, input: object) {
  const campaign = await world.campaign({ subject: 'Hello', fromEmail: 'ada@example.com', ...input })
  const set = 'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }'
  await world.run(set, { input: { id: campaign.id, ...content } })
  const document = 'mutation ($input: CampaignSendInput!) { campaignSend(input: $input) { campaign { status } } }'
  const { campaignSend } = await world.run(document, { input: { id: campaign.id, audience: { sendToAll: true } } })
  expect(campaignSend.campaign.status).toBe('SENDING')
  return campaign
}

export async function read(taken: SinkMessage): Promise<Received> {
  const mail = await simpleParser(taken.raw, { skipTextToHtml: true, skipHtmlToText: true, skipTextLinks: true })
  return { ...taken, mail, html: mail.html || '', text: mail.text ?? '' }
}
