import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { limitConnections } from '../../src/server/http/connection-limits.ts'

it('a network has a maximum of connections, and a place again for each that closes', async () => {
  const server = createServer((_request, response) => void response.end('served'))
  limitConnections(server, 3)
  server.listen(0)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const open = async (host: string) => {
    const socket = connect(port, host)
    socket.on('error', () => undefined)
    sockets.push(socket)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const served = once(socket, 'data').then(() => true)
    return { socket, isServed: await Promise.race([served, once(socket, 'close').then(() => false)]) }
  }
  const first = await open('127.0.0.1')
  expect([first.isServed, (await open('127.0.0.1')).isServed, (await open('127.0.0.1')).isServed]).toEqual([
    true,
    true,
    true,
  ])
  expect((await open('127.0.0.1')).isServed).toBe(false)
  // IPv4 addresses are counted alone; that of IPv6 is another network.
  expect((await open('::1')).isServed).toBe(true)
  const closed = once(first.socket, 'close')
  first.socket.destroy()
  await closed
  let again = await open('127.0.0.1')
  while (!again.isServed) again = await open('127.0.0.1')
})
