import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { unsubscribeToken } from '../../src/mail/messages/message-tokens.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { sentMessage } from './reporting.ts'

/** Sends a request and closes the connection at once. */
async function post(port: number, path: string, body: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.end(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  await once(socket.resume(), 'close')
}

it('a client that closes its connection after a one-click request unsubscribes', async () => {
  const world = await newWorld({ server: await newServer() })
  const { recipientId, contact } = await sentMessage({ world })
  const token = unsubscribeToken('a secret that only tests know', { accountId: world.accountId, recipientId })
  await post(world.server.app.address.port, `/u/${token}`, 'List-Unsubscribe=One-Click')
  const read = 'query ($ref: ContactRefInput!) { contact(ref: $ref) { emailMarketing } }'
  await until(async () => !(await world.run(read, { ref: { id: contact.id } })).contact.emailMarketing)
  expect(world.server.errors).toEqual([])
})
