import { beforeAll } from 'vitest'
import { newSigner } from '../../src/kernel/signer.ts'
import { openReceiver, type Receiver } from '../events/receiver.ts'
import { type Sink, startSink } from '../mail/sink.ts'
import { atEnd } from '../support/ends.ts'
import { newServer, type Server } from '../support/server.ts'
import { type World, worldOf } from '../support/world.ts'
import { left, loadVersion01, newClockAt } from './version-0.1.ts'

/** The address of the nth contact of account 2. */
export const person = (n: number) => `p${n}@people.example`

/** Starts a server on the database of version 0.1, with a mail server and an endpoint, for the calling test file. */
export function useUpgradedServer() {
  const upgraded = { clock: newClockAt(left.at) } as {
    server: Server
    world: World
    clock: ReturnType<typeof newClockAt>
  }
  let sink: Sink
  let hooks: Receiver
  beforeAll(async () => {
    sink = await startSink()
    atEnd(sink.close)
    const receiver = await openReceiver()
    atEnd(receiver.close)
    hooks = receiver
    const databaseUrl = await loadVersion01(new URL(hooks.url).origin)
    const env = {
      ...{ DATABASE_URL: databaseUrl, SECRET: left.secret, MAIL_URL: sink.url },
      ...{ ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE: 'on', DATABASE_POOL_SIZE: '5', SENDERS: 'verified' },
    }
    upgraded.server = await newServer(env, { clock: upgraded.clock, deliveries: { random: () => 0 } })
    upgraded.world = worldOf(upgraded.server, left.accountId, left.key)
  })

  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${upgraded.server.url}${path}`, { redirect: 'manual', ...init })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  /** Returns the messages with this subject that were sent since the upgrade. */
  const sentMessages = (subject: string) => sink.taken.filter(({ raw }) => raw.includes(`\r\nSubject: ${subject}\r\n`))
  return Object.assign(upgraded, {
    get,
    sentMessages,
    recipientsOf: (subject: string) => sentMessages(subject).map(({ to }) => to),
    postForm: (path: string, body: string) => get(path, { method: 'POST', headers: form, body }),
    callsAt: (path: string) => hooks.calls.filter((call) => call.path === path),
    /** The system of a process that has the SECRET. */
    systemWithSecret: () => ({ ...upgraded.server.system, signer: newSigner(left.secret) }),
    readCampaign: async (id: string) => {
      const document = `query ($id: ID!) { campaign(id: $id) {
        status recipientsCount sentTo stats { sent opened clicked unsubscribed bounced } } }`
      return (await upgraded.world.run(document, { id })).campaign
    },
  })
}
