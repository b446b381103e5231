// Listens on a free port and prints it.
import { createServer } from 'node:net'

const server = createServer()
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
