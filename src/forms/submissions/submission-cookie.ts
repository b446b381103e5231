import { randomBytes } from 'node:crypto'
import type { Signer } from '../../kernel/web/signer.ts'
import type { Form } from '../form/form-list.ts'
import type { PageRequest } from '../visitors/visit.ts'

/** The submission that a browser continues, by the identifier that the browser keeps in a cookie. */
interface SubmissionSession {
  readonly form: Pick<Form, 'accountId' | 'id'>
  readonly clientSubmissionId: string
}

type FormKey = SubmissionSession['form']

const cookieMaxAgeMs = 90 * 24 * 60 * 60 * 1_000

/** Returns a session with a random identifier. The submission does not exist yet. */
export function newSession(form: FormKey): SubmissionSession {
  return { form, clientSubmissionId: randomBytes(16).toString('base64url') }
}

/** Returns the session of the form's cookie; undefined if the cookie is absent, forged or of another form. */
export function readSessionCookie(request: PageRequest, signer: Signer, form: FormKey): SubmissionSession | undefined {
  return decodeSession(signer, form, request.cookies.get(cookieName(form)))
}

/** Sets the cookie of a session. The browser sends it to the page of this form only. */
export function setSessionCookie(request: PageRequest, signer: Signer, session: SubmissionSession): void {
  request.cookies.set(cookieName(session.form), encodeSession(signer, session), {
    httpOnly: true,
    sameSite: 'lax',
    secure: request.secure,
    maxAge: cookieMaxAgeMs,
    overwrite: true,
    path: request.path,
  })
}

/** The signature prevents a visitor from reading a submission of another visitor by its identifier. */
function encodeSession(signer: Signer, session: SubmissionSession): string {
  return `${Buffer.from(session.clientSubmissionId).toString('base64url')}.${signer.sign(signedText(session))}`
}

function decodeSession(signer: Signer, form: FormKey, cookie: string | undefined): SubmissionSession | undefined {
  const [, id, signature] = /^([\w-]{1,700})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (id === undefined || signature === undefined) return undefined
  const session = { form, clientSubmissionId: Buffer.from(id, 'base64url').toString() }
  return signer.isSigned(signedText(session), signature) ? session : undefined
}

function signedText({ form, clientSubmissionId }: SubmissionSession): string {
  return `form ${form.accountId} ${form.id} ${clientSubmissionId}`
}

function cookieName({ id }: FormKey): string {
  return `campanile_form_${id}`
}
