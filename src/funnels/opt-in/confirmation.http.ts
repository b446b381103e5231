import { brands } from '../../content/index.ts'
import { messagePageStyle } from '../../content/rendering.ts'
import { newCtx, type System } from '../../db/context.ts'
import {
  passName,
  readVisit,
  readVisitorPost,
  receiveVisitor,
  sealPass,
  setVisitorCookie,
  type Visitor,
  verifyVisitor,
} from '../../forms/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { plainAddress } from '../../kernel/values/address.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import { readFields } from '../../kernel/values/storable-text.ts'
import { html } from '../../kernel/web/html.ts'
import { type HttpRequest, httpRoute } from '../../kernel/web/http-route.ts'
import { sendMessage, sendProblem } from '../../kernel/web/message-page-response.ts'
import { masked } from '../../mail/index.ts'
import { type Confirmation, confirm, findConfirmation } from './confirmation.ts'
import { parseConfirmationToken } from './confirmation-link.ts'

/** Time after a message was sent in which programs open its links, some of them with scripts: three minutes. */
const scannedMs = 3 * 60 * 1000

/** Name and value of the field that marks the POST of the script of the page. */
const sender = { name: 'by', script: 'script' } as const

/** Posts the form of the page as soon as a person sees it. A page that was loaded in advance is not visible. */
const script = `(() => {
  const post = () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', post)
    const form = document.forms[0]
    form.elements.namedItem('${sender.name}').value = '${sender.script}'
    form.submit()
  }
  document.addEventListener('visibilitychange', post)
  post()
})()`

/**
 * GET shows a page with a button and changes nothing, because mail scanners follow links. The script of the page sends the POST
 * for a person. POST confirms, idempotently, and identifies the browser as that of the contact.
 */
export const confirmationRoutes = [
  httpRoute('/c/:token', {
    area: { sandbox: 'allow-forms allow-scripts' },
    summary: 'Confirmation of an opt-in. `POST` confirms; the page sends it itself once it is visible.',
    methods: ['GET', 'POST'],
    limiter: 'visitors',
    maxBodyBytes: 64 * 1024,
    notFound: 'notFound',
    handle,
    sendProblem,
  }),
]

async function handle(
  { http, params, readBody, isIsolated }: HttpRequest<{ readonly token: string }>,
  { system }: { readonly system: System },
): Promise<void> {
  const browser = http.get('accept-language')
  if (params.token === exampleToken) return sendMessage(http, 200, textsIn(browser).page('testMessage'))
  const parsed = parseConfirmationToken(system.signer, params.token, system.clock.now())
  if (!parsed) throw refuse('NOT_FOUND')
  const { accountId, submissionId } = parsed
  const ctx = newCtx(system, { accountId, actor: { kind: 'VISITOR' } })
  const confirmation = await findConfirmation(ctx, submissionId)
  if (!confirmation) throw refuse('NOT_FOUND')
  const { text, page } = textsIn(confirmation.locale, browser)
  const values = { account: confirmation.accountName, address: masked(confirmation.email) }
  receiveVisitor(http, system, accountId)
  const done = confirmation.hasConsent ? 'confirmation.done' : 'confirmation.owned'
  const look = await brands.pageStyleOf(ctx)
  const style = look ? messagePageStyle(look) : ''
  if (confirmation.isConfirmed && http.method !== 'POST')
    return sendMessage(http, 200, { ...page(done, values), style })
  if (parsed.isExpired && !confirmation.isConfirmed) {
    return sendMessage(http, 410, { ...page('confirmation.expired'), style })
  }
  const consentText = text(confirmation.hasConsent ? 'confirmation.agree' : 'confirmation.own', values)
  if (http.method !== 'POST') {
    const pass = isIsolated ? passOf(http, system, accountId) : ''
    const more = html`<form method="post"><input type="hidden" name="${passName}" value="${pass}"><input type="hidden" name="${sender.name}"><button>${consentText}</button></form>`
    const own = postsItself(http, system, confirmation) ? { script } : {}
    return sendMessage(http, 200, { ...page('confirmation', values), more, style, ...own })
  }
  const fields = readFields(await readBody())
  await confirm(ctx, { submissionId, consentText, ip: plainAddress(http.ip) })
  const post = readVisitorPost(http, system, accountId, fields.get(passName) ?? undefined)
  // A form on another site must not identify the browser as another contact, nor a link that someone else got.
  const isOwn = fields.get(sender.name) !== sender.script || isBrowserOf(confirmation, post.visit.visitor)
  if (post.isOwnPage && isOwn)
    post.remember(await verifyVisitor(system, post.visit, { accountId, contactId: confirmation.contactId }))
  const location = post.redirect('')
  sendMessage(http, 200, { ...page(done, values), style })
  if (location !== '') http.redirect(location)
}

/** Returns whether the page of a confirmation sends its POST itself. Not for a browser that loads pages in advance. */
function postsItself(
  http: HttpRequest['http'],
  { clock }: System,
  { isOneClick, sentAt }: Pick<Confirmation, 'isOneClick' | 'sentAt'>,
): boolean {
  const purpose = `${http.get('sec-purpose')} ${http.get('purpose')}`
  if (!isOneClick || sentAt === null || /prefetch|prerender|preview/i.test(purpose)) return false
  return clock.now().getTime() - sentAt.getTime() >= scannedMs
}

/** Returns whether the address of a confirmation was typed in a browser, or the browser already belongs to its contact. */
function isBrowserOf({ contactId, email }: Confirmation, { known, typed }: Visitor): boolean {
  return known?.contactId === contactId || addressKey(typed?.email ?? '') === addressKey(email)
}

/**
 * Returns the pass of the visitor, whose cookie it sets: the browser must already have it when the POST hands the visitor over.
 */
function passOf(http: HttpRequest['http'], { signer, clock }: System, accountId: number): string {
  const { visitor, isNew } = readVisit(http, signer, accountId)
  if (isNew) setVisitorCookie(http, signer, visitor)
  return sealPass(signer, { visitor }, clock.now())
}

/** The token of the link in previews and test messages. */
const exampleToken = 'example'
