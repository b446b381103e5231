import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook, type WebhookMessage } from '../../src/client/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

describe('a webhook that the server delivers', () => {
  it('is verified by the client and matches its types', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE: 'on' }) })
    const { promise: secret, resolve: setSecret } = Promise.withResolvers<string>()
    const { promise: message, resolve: onVerified, reject: onError } = Promise.withResolvers<WebhookMessage>()
    const receiver = createServer(async (request, response) => {
      const body = await buffer(request)
      response.writeHead(204).end()
      await verifyWebhook(body, request.headers, await secret).then(onVerified, onError)
    })
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    onTestFinished(() => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const { port } = receiver.address() as AddressInfo
    const created = await world.run(
      'mutation ($url: String!) { webhookCreate(input: { url: $url, events: [CONTACT_CREATED] }) { secret } }',
      { url: `http://127.0.0.1:${port}/hooks` },
    )
    setSecret(created.webhookCreate.secret)
    const { databaseId } = await world.contact({ email: 'zoë@example.com', firstName: 'Zoë 🌷' })

    const received = await message
    if (received.type !== 'contact.created' || !('email' in received.data)) return expect.unreachable(received.type)
    expect(received.data).toEqual({
      id: databaseId,
      email: 'zoë@example.com',
      first_name: 'Zoë 🌷',
      last_name: '',
      email_marketing: false,
      gdpr: false,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      tags: [],
      sequences: [],
      custom_fields: [],
      subscriptions: [],
    } satisfies typeof received.data)
    expect(received.id).toMatch(/^msg_/)
    expect(Number.isNaN(Date.parse(received.timestamp))).toBe(false)
  })
})
