import { describe, it } from 'vitest'
import { sendMalformed } from './malformed.ts'
import { useServers } from './support.ts'

// Background jobs change rows independently of the requests.
const servers = useServers({ ROLES: 'api' })

describe('a thousand malformed requests', () => {
  it('return the documented errors and change nothing', () => sendMalformed(servers, 250))
})
