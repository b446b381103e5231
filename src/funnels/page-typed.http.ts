import type { Context } from 'koa'
import type { Person } from '../kernel/merge-fields.ts'
import { personIn } from './page-values.ts'

/** What a visitor has typed of itself, by the names that an address would have for it. */
export type Typed = Readonly<Record<'firstname' | 'lastname' | 'email', string | undefined>>

/** How many characters of each: a cookie has little room. */
const longest = 100

/**
 * Lets the browser keep, until it is closed, what its visitor has typed of itself. It says no more than an address can:
 * unlike the visitor's own cookie it names no contact, so it need not be signed, and nothing stored is shown for it.
 */
export function keepTyped(http: Context, accountId: number, typed: Typed): void {
  const said = Object.entries(typed).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [...value.toWellFormed()].slice(0, longest).join('')]],
  )
  const text = new URLSearchParams(said).toString()
  http.cookies.set(cookieName(accountId), Buffer.from(text).toString('base64url'), {
    httpOnly: true,
    sameSite: 'lax',
    secure: http.secure,
    overwrite: true,
  })
}

/** What the visitor has typed of itself before. */
export function typedIn(http: Context, accountId: number): Person | undefined {
  const text = http.cookies.get(cookieName(accountId))
  return text === undefined ? undefined : personIn(new URLSearchParams(Buffer.from(text, 'base64url').toString()))
}

function cookieName(accountId: number): string {
  return `campanile_${accountId}_typed`
}
