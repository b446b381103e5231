import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { atEnd } from '../support/ends.ts'

/** An OpenID Connect provider that signs in one person without asking. */
export interface Provider {
  readonly issuer: string
  /** Claims of the next ID token, which replace its own. */
  claims: Record<string, unknown>
  /** Whether the next ID token is signed with a key that the provider does not publish. */
  isForging: boolean
  /** Whether the provider accepts connections but does not answer. */
  isSilent: boolean
  /** Requests to the token endpoint. */
  readonly tokenRequests: URLSearchParams[]
}

/** Starts a provider, with keys of its own. */
export async function newProvider(): Promise<Provider> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const forged = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const nonces = new Map<string, string>()
  const tokenRequests: URLSearchParams[] = []
  const server = createServer(async (request, response) => {
    if (provider.isSilent) return undefined
    const url = new URL(request.url ?? '/', provider.issuer)
    const send = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    if (url.pathname === '/.well-known/openid-configuration') return send(metadata(provider.issuer))
    if (url.pathname === '/jwks') return send({ keys: [jwk] })
    if (url.pathname === '/authorize') {
      const code = `code${nonces.size}`
      nonces.set(code, url.searchParams.get('nonce') ?? '')
      const target = new URL(url.searchParams.get('redirect_uri') ?? '')
      target.search = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }).toString()
      return response.writeHead(302, { location: target.href }).end()
    }
    const form = new URLSearchParams(await bodyOf(request))
    tokenRequests.push(form)
    const idToken = await new SignJWT({ nonce: nonces.get(form.get('code') ?? ''), ...provider.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(provider.issuer)
      .setAudience(String(provider.claims['aud'] ?? 'campanile'))
      .setSubject('person')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(provider.isForging ? forged.privateKey : privateKey)
    return send({ access_token: 'x', token_type: 'Bearer', id_token: idToken })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  const provider: Provider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ claims: {}, isForging: false, isSilent: false, tokenRequests },
  }
  return provider
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request) body += String(part)
  return body
}
