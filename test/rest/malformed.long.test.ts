import { describe, it } from 'vitest'
import { sendMalformed } from './malformed.ts'
import { useServers } from './support.ts'

// Background jobs change rows independently of the requests.
const servers = useServers({ ROLES: 'api' })

describe('ten thousand malformed requests', () => {
  it('return the documented errors and change nothing', () => sendMalformed(servers, 2_500))
})
