import { randomBytes } from 'node:crypto'
import type { Signer } from '../kernel/signer.ts'
import type { Door } from './arrival.ts'
import type { Form } from './form-list.ts'

/** A submission that a browser goes on with: the visitor's own name for it, within a form. */
export interface Sitting {
  readonly form: Pick<Form, 'accountId' | 'id'>
  readonly clientSubmissionId: string
}

/** A submission that nobody has begun. */
export function newSitting(form: Sitting['form']): Sitting {
  return { form, clientSubmissionId: randomBytes(16).toString('base64url') }
}

/** What a form's cookie holds: the submission, signed, so that nobody reads the answers of another by naming theirs. */
export function writeSitting(signer: Signer, sitting: Sitting): string {
  return `${Buffer.from(sitting.clientSubmissionId).toString('base64url')}.${signer.sign(signed(sitting))}`
}

/** The sitting of a cookie, or undefined where we did not write it, or not for this form. */
export function readSitting(signer: Signer, form: Sitting['form'], cookie: string | undefined): Sitting | undefined {
  const [, id, signature] = /^([\w-]{1,700})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (id === undefined || signature === undefined) return undefined
  const sitting = { form, clientSubmissionId: Buffer.from(id, 'base64url').toString() }
  return signer.isSigned(signed(sitting), signature) ? sitting : undefined
}

function signed({ form, clientSubmissionId }: Sitting): string {
  return `form ${form.accountId} ${form.id} ${clientSubmissionId}`
}

/** How long a browser knows a submission, in milliseconds: 90 days. */
const cookieLife = 90 * 24 * 60 * 60 * 1_000

/** The submission that the browser at the door goes on with. */
export function sittingOf(door: Door, signer: Signer, form: Sitting['form']): Sitting | undefined {
  return readSitting(signer, form, door.cookies.get(cookieName(form)))
}

/** Lets the browser go on with a submission, on the form's own page alone. */
export function keepSitting(door: Door, signer: Signer, sitting: Sitting): void {
  door.cookies.set(cookieName(sitting.form), writeSitting(signer, sitting), {
    httpOnly: true,
    sameSite: 'lax',
    secure: door.secure,
    maxAge: cookieLife,
    overwrite: true,
    path: door.path,
  })
}

function cookieName({ id }: Sitting['form']): string {
  return `campanile_form_${id}`
}
