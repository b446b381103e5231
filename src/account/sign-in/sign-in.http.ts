import type { System } from '../../db/context.ts'
import { networkOf } from '../../kernel/values/address.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import { email as emailSchema } from '../../kernel/values/check.ts'
import { readFields } from '../../kernel/values/storable-text.ts'
import { html } from '../../kernel/web/html.ts'
import { HttpProblem, type HttpRequest, type HttpRoute, httpRoute } from '../../kernel/web/http-route.ts'
import { isSameOrigin } from '../../kernel/web/session-cookie.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { openIdPath, openIdRoutes } from './openid.http.ts'
import type { OpenIdClient } from './openid.ts'
import * as signInLinks from './sign-in-links.ts'
import { browserOf, send, sendSession, signInPage } from './sign-in-page.http.ts'
import { requestLinks } from './sign-in-requests.ts'

interface SignInServices {
  readonly system: System
  readonly limiters: Pick<Limiters, 'posts'>
  /** The identity provider, if one is configured. */
  readonly openid: OpenIdClient | undefined
}

/** Maximum numbers per minute: of requests for a link from an address, and of links to an e-mail address. */
const maxPerMinute = { requests: 10, links: 3 }

const page: Pick<HttpRoute<SignInServices>, keyof typeof signInPage | 'methods' | 'maxBodyBytes'> = {
  ...signInPage,
  methods: ['GET', 'POST'],
  maxBodyBytes: 4_096,
}

/** The pages that sign users in. */
export const signInRoutes = [
  ...openIdRoutes,
  httpRoute(signInLinks.signInPath, {
    ...page,
    summary: 'Sign-in to the console. `POST` sends a link by e-mail.',
    handle: requestLink,
  }),
  httpRoute(`${signInLinks.signInPath}/:token`, {
    ...page,
    summary: 'Link that signs a user in once. `POST` uses it and sets the cookie of the session.',
    handle: useLink,
  }),
]

/**
 * The answer is the same, and takes the same time, whether or not the address belongs to a user: a job sends the link. It is also
 * the same if enough links were sent to the address in this minute, because anyone can ask for those of another person.
 */
async function requestLink({ http, readBody }: HttpRequest, services: SignInServices): Promise<void> {
  if (http.method !== 'POST') return send(http, 200, requestPage(services))
  mustBeSameOrigin(http, services)
  const values = readFields(await readBody())
  const { data: email } = emailSchema.safeParse(values.get('email') ?? '')
  if (email === undefined) return send(http, 422, requestPage(services, 'Please enter a valid e-mail address.'))
  await limitRequests(http, services)
  if (await maySend(email, services)) await requestLinks(services.system, email)
  send(http, 200, {
    title: 'Check your mailbox',
    sentence: `If ${email} belongs to a user, you will receive a link to sign in. It is valid for ${signInLinks.linkTtlMs / 60_000} minutes.`,
  })
}

const requestPage = (
  { openid }: SignInServices,
  sentence = 'Enter your e-mail address. You will receive a link that signs you in.',
) => ({
  title: 'Sign in',
  sentence,
  more: html`<form method="post"><p><input type="email" name="email" required autocomplete="email" autofocus aria-label="E-mail address"></p><button>Send the link</button></form>${
    openid && html`<p><a href="${openIdPath}">Sign in with your identity provider</a></p>`
  }`,
})

async function limitRequests(http: HttpRequest['http'], { limiters }: SignInServices): Promise<void> {
  const { perAddress: limiter } = limiters.posts
  const points = Math.ceil(limiter.limit / maxPerMinute.requests)
  const { isExceeded, resetSeconds } = await limiter.take(`sign-in ${networkOf(http.ip)}`, points)
  if (!isExceeded) return
  http.set('Retry-After', String(resetSeconds))
  throw new HttpProblem(429, 'Too many attempts', 'Please try again in a minute.')
}

async function maySend(email: string, { limiters }: SignInServices): Promise<boolean> {
  const { perAddress: limiter } = limiters.posts
  const points = Math.ceil(limiter.limit / maxPerMinute.links)
  return !(await limiter.take(`sign-in ${addressKey(email)}`, points)).isExceeded
}

/** GET shows a button and does not use the link, because mail scanners follow links. */
async function useLink(
  { http, params }: HttpRequest<{ readonly token: string }>,
  services: SignInServices,
): Promise<void> {
  const { system } = services
  if (http.method !== 'POST') {
    const linked = await signInLinks.find(system, params.token)
    if (!linked) return send(http, 410, expiredPage())
    const { email, accountName } = linked
    const more = html`<form method="post"><button>Sign in</button></form>`
    return send(http, 200, { title: 'Sign in', sentence: `Sign in to ${accountName} as ${email}.`, more })
  }
  mustBeSameOrigin(http, services)
  const token = await signInLinks.use(system, params.token, browserOf(http))
  if (token === undefined) return send(http, 410, expiredPage())
  await sendSession(http, system, token)
}

const expiredPage = () => ({
  title: 'This link is not valid',
  sentence: 'A link is valid for a short time, and signs in once.',
  more: html`<p><a href="${signInLinks.signInPath}">Get a new link</a></p>`,
})

/** Another site must not sign a browser in as a user of its choice, or send e-mail from the addresses of its visitors. */
function mustBeSameOrigin(http: HttpRequest['http'], { system }: SignInServices): void {
  if (isSameOrigin((name) => http.get(name), { host: http.host, consoleUrl: system.consoleUrl() })) return
  throw new HttpProblem(403, 'Not allowed', 'Open this page on the server itself, and try again.')
}
