import { signInLinks, users } from '../../src/account/index.ts'
import { newCtx } from '../../src/db/context.ts'
import type { Role } from '../../src/kernel/scopes.ts'
import type { AskOptions, World } from './world.ts'

/** Headers with which a page of the console sends a request. */
export const consoleHeaders = { 'x-campanile-console': '1', 'sec-fetch-site': 'same-origin' }

let number = 0

/** A user who is signed in. */
export interface SignedIn {
  readonly id: number
  readonly email: string
  readonly cookie: string
  /** Headers of a request of the console with the cookie. */
  readonly headers: Readonly<Record<string, string>>
}

/** Creates a user as an operator does. */
export async function newUser({ server, accountId }: World, role: Role, email = `user${++number}@example.com`) {
  return users.add(server.system, { accountId, email, role })
}

/** Creates a link that signs a user in. */
export async function linkFor({ server, accountId }: World, userId: number): Promise<string> {
  const { url } = await signInLinks.create(newCtx(server.system, { accountId }), userId)
  return new URL(url, server.url).href
}

/** Follows a link as a browser does that clicks the button, and returns the response. */
export function follow(link: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(link, { method: 'POST', redirect: 'manual', headers: { 'sec-fetch-site': 'same-origin', ...headers } })
}

/** Returns the cookie that a response sets, as the browser sends it. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

/** Creates a user and signs the user in. */
export async function signIn(world: World, role: Role = 'OWNER', email?: string): Promise<SignedIn> {
  const user = await newUser(world, role, email)
  return { ...(await signInAgain(world, user)) }
}

/** Signs a user in with another browser. */
export async function signInAgain(world: World, { id, email }: { id: number; email: string }): Promise<SignedIn> {
  const cookie = cookieOf(await follow(await linkFor(world, id)))
  return { id, email, cookie, headers: { ...consoleHeaders, cookie } }
}

/** Options of a request that the user sends from the console. */
export const asUser = ({ headers }: Pick<SignedIn, 'headers'>): AskOptions => ({ key: null, headers })

/** Creates a user with two sessions: that of the returned headers, and the one with the ID `session`. */
export async function newEditor(world: World, email: string): Promise<SignedIn & { readonly session: number }> {
  const user = await signIn(world, 'EDITOR', email)
  await signInAgain(world, user)
  const { viewer } = await world.run('{ viewer { user { sessions { databaseId isCurrent } } } }', {}, asUser(user))
  const other = viewer.user.sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  return { ...user, session: other.databaseId }
}
