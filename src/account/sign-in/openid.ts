import * as openid from 'openid-client'

/** Maximum time of a request to the provider, in seconds. */
const timeoutSeconds = 5

/** The provider that signs users in, and how this server is registered there. */
export interface OpenIdSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What a browser must keep until the provider sends it back. */
export interface OpenIdAttempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The client of an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export interface OpenIdClient {
  /** Starts a sign-in. Returns the URL of the provider. **Throws** `OpenIdError`. */
  start(redirectUrl: string): Promise<{ url: string; attempt: OpenIdAttempt }>
  /**
   * Completes a sign-in with the URL at which the browser came back. Returns the e-mail address of the person; undefined unless
   * the provider has verified it. **Throws** `OpenIdError`.
   */
  complete(url: URL, attempt: OpenIdAttempt): Promise<string | undefined>
}

/** A sign-in failed: the provider could not be reached, or its answer was wrong or a refusal. */
export class OpenIdError extends Error {
  readonly reason: 'UNREACHABLE' | 'REFUSED'
  constructor(reason: OpenIdError['reason'], cause: unknown) {
    super('A sign-in with OpenID Connect failed.', { cause })
    this.reason = reason
  }
}

/** Creates the client of a provider. Its metadata are read with the first sign-in, and again if that failed. */
export function newOpenIdClient({ issuer, clientId, clientSecret }: OpenIdSettings): OpenIdClient {
  let pending: Promise<openid.Configuration> | undefined
  const discover = () => {
    pending ??= openid
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: timeoutSeconds,
        // The signature is checked although the token comes from the provider itself.
        execute: [openid.enableNonRepudiationChecks, ...(isPlain(issuer) ? [openid.allowInsecureRequests] : [])],
      })
      .catch((error: unknown) => {
        pending = undefined
        throw new OpenIdError('UNREACHABLE', error)
      })
    return pending
  }
  return {
    async start(redirectUrl) {
      const configuration = await discover()
      const attempt = {
        state: openid.randomState(),
        nonce: openid.randomNonce(),
        verifier: openid.randomPKCECodeVerifier(),
      }
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUrl,
        scope: 'openid email',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, attempt }
    },
    async complete(url, { state, nonce, verifier }) {
      const configuration = await discover()
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await openid.authorizationCodeGrant(configuration, url, checks)
        const claims = tokens.claims()
        // Some providers put the address into the response of the UserInfo endpoint only.
        const person =
          claims && claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
            ? await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : claims
        const { email, email_verified: isVerified } = (person ?? {}) as { email?: unknown; email_verified?: unknown }
        return typeof email === 'string' && isVerified === true ? email : undefined
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

/** Providers without TLS are accepted on this machine only. The configuration refuses others. */
function isPlain(issuer: string): boolean {
  return new URL(issuer).protocol === 'http:'
}

/** Codes of failures of the provider or of the connection. A failure without a code is one of the connection. */
const connectionCodes: readonly (string | undefined)[] = [
  undefined,
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]

function failureOf(error: unknown): OpenIdError {
  const { code } = error as { code?: string }
  return new OpenIdError(connectionCodes.includes(code) ? 'UNREACHABLE' : 'REFUSED', error)
}
