import { renderChallengePage } from '../sign-ups/challenge-page.ts'
import type { SignUp, SignUpRefusal } from '../sign-ups/sign-up.ts'
import type { FormPost } from './form-post.ts'
import { contentSecurityPolicy, renderMessagePage } from './html/page.ts'
import type { FormRequest, FormResponse } from './show-form.ts'

/** Returns the response to a post that the limits refuse: a page that solves the challenge and sends it again, or JSON. */
export function refusePost(
  { form, isApiClient }: Pick<FormRequest, 'form' | 'isApiClient'>,
  { values, isStrict }: FormPost,
  refusal: SignUpRefusal,
  signUp: Pick<SignUp, 'canConfirm'>,
): FormResponse {
  const { message, challenge, retryAfterSeconds } = refusal
  const status = 429
  if (isApiClient || isStrict) return { status, json: { message, ...(challenge && { challenge }) }, retryAfterSeconds }
  if (!challenge) {
    const page = renderMessagePage(form.texts.page('wait', { minutes: Math.ceil(retryAfterSeconds / 60) }))
    return { status, page, csp: contentSecurityPolicy(), retryAfterSeconds }
  }
  const post = { action: String(form.id), fields: values, origins: [] }
  return { status, ...renderChallengePage(form.texts, refusal, post, signUp), retryAfterSeconds }
}
