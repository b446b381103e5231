import { newCtx, type System } from '../db/context.ts'
import { isSameOriginPost, setVerifiedVisitorCookie } from '../forms/index.ts'
import { plainAddress } from '../kernel/address.ts'
import { refuse } from '../kernel/errors.ts'
import { html } from '../kernel/html.ts'
import { type HttpRequest, httpRoute } from '../kernel/http-route.ts'
import { masked } from '../kernel/outgoing-message.ts'
import { confirm, findConfirmation } from './confirmation.ts'
import { parseConfirmationToken } from './confirmation-link.ts'
import { notFound, sendMessage, sendProblem } from './message-page.http.ts'

/**
 * GET shows a page with a button and changes nothing, because mail scanners follow links. POST confirms, idempotently, and
 * identifies the browser as that of the contact.
 */
export const confirmationRoutes = [
  httpRoute('/c/:token', {
    summary: 'Confirmation of an opt-in. `POST` confirms.',
    methods: ['GET', 'POST'],
    limiter: 'visitors',
    notFound,
    handle,
    sendProblem,
  }),
]

async function handle(
  { http, params }: HttpRequest<{ readonly token: string }>,
  { system }: { readonly system: System },
): Promise<void> {
  const parsed = parseConfirmationToken(system.signer, params.token, system.clock.now())
  if (!parsed) throw refuse('NOT_FOUND')
  const { accountId, submissionId } = parsed
  const ctx = newCtx(system, { accountId })
  const confirmation = await findConfirmation(ctx, submissionId)
  if (!confirmation) throw refuse('NOT_FOUND')
  const from = `e-mail from ${confirmation.accountName}`
  if (confirmation.isConfirmed && http.method !== 'POST') return sendMessage(http, 200, confirmedPage(from))
  if (parsed.isExpired && !confirmation.isConfirmed) {
    const sentence = 'The link was valid for seven days. Please sign up again to get a new one.'
    return sendMessage(http, 410, { title: 'This link has expired', sentence })
  }
  const consentText = `Yes, I want to get ${from}.`
  if (http.method !== 'POST') {
    const more = html`<form method="post"><button>${consentText}</button></form>`
    const sentence = `The address ${masked(confirmation.email)} was entered on a page. Was it you?`
    return sendMessage(http, 200, { title: 'Please confirm', sentence, more })
  }
  await confirm(ctx, { submissionId, consentText, ip: plainAddress(http.ip) })
  // A form on another site must not identify the browser as another contact.
  if (isSameOriginPost(http))
    await setVerifiedVisitorCookie(http, system, { accountId, contactId: confirmation.contactId })
  sendMessage(http, 200, confirmedPage(from))
}

const confirmedPage = (from: string) => ({
  title: 'Thank you',
  sentence: `Your address is confirmed. You will get ${from}.`,
})
