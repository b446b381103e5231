import type { Context } from 'koa'
import type { System } from '../../db/context.ts'
import { networkOf } from '../../kernel/values/address.ts'
import { type Html, html } from '../../kernel/web/html.ts'
import { HttpProblem, type HttpRequest, type HttpRoute, httpRoute } from '../../kernel/web/http-route.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { type OpenIdAttempt, type OpenIdClient, OpenIdError } from './openid.ts'
import * as signInLinks from './sign-in-links.ts'
import { browserOf, send, sendSession, signInPage } from './sign-in-page.http.ts'

/** Path that sends a browser to the identity provider. */
export const openIdPath = `${signInLinks.signInPath}/openid`

/** Path to which the provider sends the browser back. Registered at the provider. */
const callbackPath = `${openIdPath}/callback`

/** How long a person has to sign in at the provider, in seconds. */
const attemptSeconds = 600

/** Sign-ins a minute of an address. */
const maxStarts = 20

interface OpenIdServices {
  readonly system: System
  readonly limiters: Pick<Limiters, 'posts'>
  readonly openid: OpenIdClient | undefined
}

const row: Pick<HttpRoute<OpenIdServices>, keyof typeof signInPage | 'methods'> = {
  ...signInPage,
  methods: ['GET'],
}
/** The sign-in with an identity provider: authorization code with PKCE. Without a provider, both return 404. */
export const openIdRoutes = [
  httpRoute(openIdPath, {
    ...row,
    summary: 'Redirects to the identity provider, if one is configured.',
    handle: ({ http }: HttpRequest, services: OpenIdServices) => start(http, configured(services)),
  }),
  httpRoute(callbackPath, {
    ...row,
    summary: 'Return from the identity provider. Sets the cookie of the session.',
    handle: ({ http }: HttpRequest, services: OpenIdServices) => complete(http, configured(services)),
  }),
]

type ConfiguredServices = OpenIdServices & { readonly openid: OpenIdClient }

function configured(services: OpenIdServices): ConfiguredServices {
  const { openid } = services
  if (!openid) throw new HttpProblem(404, 'Not found', 'This server has no identity provider.')
  return { ...services, openid }
}

async function start(http: Context, { system, limiters, openid }: ConfiguredServices): Promise<void> {
  const { perAddress } = limiters.posts
  const tally = await perAddress.take(`openid ${networkOf(http.ip)}`, Math.ceil(perAddress.limit / maxStarts))
  if (tally.isExceeded) {
    http.set('Retry-After', String(tally.resetSeconds))
    throw new HttpProblem(429, 'Too many attempts', 'Please try again in a minute.')
  }
  const { url, attempt } = await ask(() => openid.start(redirectUrl(system)), system)
  setAttempt(http, system, attempt)
  http.set('Cache-Control', 'no-store')
  http.redirect(url)
}

/** A user is found by the verified address only, and is never created. */
async function complete(http: Context, { system, openid }: ConfiguredServices): Promise<void> {
  const attempt = readAttempt(http, system)
  setAttempt(http, system, undefined)
  if (!attempt) throw problem(400, 'This sign-in has expired. Please start again.')
  const url = new URL(redirectUrl(system) + http.search)
  const email = await ask(() => openid.complete(url, attempt), system)
  if (email === undefined) throw problem(403, 'The identity provider has not verified your e-mail address.')
  const found = await signInLinks.findUsers(system, email)
  const [user] = found
  if (!user) throw problem(403, `There is no user with the address ${email}. Ask an administrator for an invitation.`)
  if (found.length > 1) return send(http, 200, await choice(system, found))
  const token = await signInLinks.signInVerified(system, user, browserOf(http))
  if (token === undefined) throw problem(403, `There is no user with the address ${email}.`)
  await sendSession(http, system, token)
}

/** The accounts of a person, each with a link that signs in once. */
async function choice(system: System, found: Awaited<ReturnType<typeof signInLinks.findUsers>>) {
  const links: Html[] = []
  for (const { accountId, accountName, userId } of found) {
    const path = await signInLinks.pathFor(system, { accountId, userId })
    links.push(html`<p><a href="${path}">${accountName}</a></p>`)
  }
  return { title: 'Sign in', sentence: 'Choose an account.', more: html`${links}` }
}

const problem = (status: number, sentence: string) => new HttpProblem(status, 'You were not signed in', sentence)

/** Turns failures of the provider into pages. The cause is logged, because only operators can correct it. */
async function ask<Result>(work: () => Promise<Result>, { log }: System): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OpenIdError)) throw error
    log.warn({ err: error.cause }, 'a sign-in with OpenID Connect failed')
    if (error.reason === 'REFUSED') throw problem(403, 'The identity provider did not confirm the sign-in.')
    throw problem(502, 'The identity provider cannot be reached. Please try again, or use a link by e-mail.')
  }
}

const redirectUrl = (system: System) => `${system.consoleUrl()}${callbackPath}`

const cookieName = (system: System) => (isSecure(system) ? '__Host-openid' : 'campanile-openid')
const isSecure = (system: System) => system.consoleUrl().startsWith('https:')
const purpose = 'openid attempt'

/** Keeps the secrets of an attempt in the browser that started it, encrypted; or removes them. */
function setAttempt(http: Context, system: System, attempt: OpenIdAttempt | undefined): void {
  const expiresAt = system.clock.now().getTime() + attemptSeconds * 1_000
  const value = attempt ? system.signer.seal(purpose, JSON.stringify({ ...attempt, expiresAt })) : ''
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure(system) ? '; Secure' : ''}`
  http.append('Set-Cookie', `${cookieName(system)}=${value}; Max-Age=${attempt ? attemptSeconds : 0}; ${attributes}`)
}

function readAttempt(http: Context, system: System): OpenIdAttempt | undefined {
  const text = system.signer.unseal(purpose, http.cookies.get(cookieName(system)) ?? '')
  if (text === undefined) return undefined
  const { expiresAt, ...attempt } = JSON.parse(text) as OpenIdAttempt & { expiresAt: number }
  return system.clock.now().getTime() < expiresAt ? attempt : undefined
}
