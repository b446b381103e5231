import { newCtx, type System } from '../../db/context.ts'
import {
  passName,
  readVisit,
  readVisitorPost,
  receiveVisitor,
  sealPass,
  setVisitorCookie,
  verifyVisitor,
} from '../../forms/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { masked } from '../../kernel/outgoing-message.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { readFields } from '../../kernel/values/storable-text.ts'
import { html } from '../../kernel/web/html.ts'
import { type HttpRequest, httpRoute } from '../../kernel/web/http-route.ts'
import { notFound, sendMessage, sendProblem } from '../../kernel/web/message-page-response.ts'
import { confirm, findConfirmation } from './confirmation.ts'
import { parseConfirmationToken } from './confirmation-link.ts'

/**
 * GET shows a page with a button and changes nothing, because mail scanners follow links. POST confirms, idempotently, and
 * identifies the browser as that of the contact.
 */
export const confirmationRoutes = [
  httpRoute('/c/:token', {
    area: { sandbox: 'allow-forms' },
    summary: 'Confirmation of an opt-in. `POST` confirms.',
    methods: ['GET', 'POST'],
    limiter: 'visitors',
    maxBodyBytes: 64 * 1024,
    notFound,
    handle,
    sendProblem,
  }),
]

async function handle(
  { http, params, readBody, isIsolated }: HttpRequest<{ readonly token: string }>,
  { system }: { readonly system: System },
): Promise<void> {
  const parsed = parseConfirmationToken(system.signer, params.token, system.clock.now())
  if (!parsed) throw refuse('NOT_FOUND')
  const { accountId, submissionId } = parsed
  const ctx = newCtx(system, { accountId, actor: { kind: 'VISITOR' } })
  const confirmation = await findConfirmation(ctx, submissionId)
  if (!confirmation) throw refuse('NOT_FOUND')
  const from = `e-mail from ${confirmation.accountName}`
  receiveVisitor(http, system, accountId)
  if (confirmation.isConfirmed && http.method !== 'POST') return sendMessage(http, 200, confirmedPage(from))
  if (parsed.isExpired && !confirmation.isConfirmed) {
    const sentence = 'The link was valid for seven days. Please sign up again to get a new one.'
    return sendMessage(http, 410, { title: 'This link has expired', sentence })
  }
  const consentText = `Yes, I want to get ${from}.`
  if (http.method !== 'POST') {
    const pass = isIsolated ? passOf(http, system, accountId) : ''
    const more = html`<form method="post"><input type="hidden" name="${passName}" value="${pass}"><button>${consentText}</button></form>`
    const sentence = `The address ${masked(confirmation.email)} was entered on a page. Was it you?`
    return sendMessage(http, 200, { title: 'Please confirm', sentence, more })
  }
  const fields = readFields(await readBody())
  await confirm(ctx, { submissionId, consentText, ip: plainAddress(http.ip) })
  const post = readVisitorPost(http, system, accountId, fields.get(passName) ?? undefined)
  // A form on another site must not identify the browser as another contact.
  if (post.isOwnPage)
    post.remember(await verifyVisitor(system, post.visit, { accountId, contactId: confirmation.contactId }))
  const location = post.redirect('')
  sendMessage(http, 200, confirmedPage(from))
  if (location !== '') http.redirect(location)
}

/**
 * Returns the pass of the visitor, whose cookie it sets: the browser must already have it when the POST hands the visitor over.
 */
function passOf(http: HttpRequest['http'], { signer, clock }: System, accountId: number): string {
  const { visitor, isNew } = readVisit(http, signer, accountId)
  if (isNew) setVisitorCookie(http, signer, visitor)
  return sealPass(signer, { visitor }, clock.now())
}

const confirmedPage = (from: string) => ({
  title: 'Thank you',
  sentence: `Your address is confirmed. You will get ${from}.`,
})
