import type { Context } from 'koa'
import pLimit from 'p-limit'
import { brands } from '../../content/index.ts'
import { messagePageStyle } from '../../content/rendering.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { languageNames, type Texts, textsIn } from '../../kernel/texts/texts.ts'
import { readFields } from '../../kernel/values/storable-text.ts'
import { type HttpRequest, httpRoute } from '../../kernel/web/http-route.ts'
import type { MessagePage } from '../../kernel/web/message-page.ts'
import { sendMessage, sendProblem } from '../../kernel/web/message-page-response.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { readUnsubscribeToken } from '../messages/message-tokens.ts'
import { leaveTopic, optOutSources, pageSource, undo, unsubscribe } from './opt-outs.ts'
import { type actions, optedOutPage, preferencePage, reasons, savedPage } from './preference-page.ts'
import { hasDecidedTooOften, type Preferences, readPreferences, savePreferences } from './preferences.ts'
import { answerWhy } from './reasons.ts'

/**
 * Runs work on few connections at a time, apart from those of opens and clicks: nothing of it is dropped, so that it may have to
 * wait.
 */
const limited = pLimit(3)

/** What a change of preferences takes of the limit of an address, which allows 120 submissions in a minute by default. */
const takenByChoice = 12

/** Length of the longest IPv6 address without a zone. */
const maxIpLength = 45

/** Body of the one-click request of e-mail clients (RFC 8058), URL-encoded or multipart. */
const oneClick = /List-Unsubscribe["\s]{0,10}=?\s{0,10}One-Click/i

interface Services {
  readonly system: System
  readonly limiters: Pick<Limiters, 'posts'>
}

/**
 * GET shows a page and changes nothing, because scanners follow links. POST, from the page or an e-mail client, unsubscribes from
 * the topic of the message, or from everything if it has none, and saves preferences. The token is the only credential; it can be
 * used any number of times.
 */
export const preferenceRoutes = [
  httpRoute('/u/:token', {
    area: { sandbox: 'allow-forms' },
    summary: 'Preference page. `POST` unsubscribes (RFC 8058), or saves preferences.',
    methods: ['GET', 'POST'],
    limiter: 'none',
    maxBodyBytes: 64 * 1024,
    notFound: 'unsubscribe.expired',
    handle,
    sendProblem,
  }),
]

async function handle(
  { http, params, readBody }: HttpRequest<{ readonly token: string }>,
  { system, limiters }: Services,
): Promise<void> {
  const ref = readUnsubscribeToken(system.signer.secret, params.token)
  const browser = http.get('accept-language')
  if (!ref) return sendMessage(http, 404, textsIn(browser).page('notFound'))
  const { recipientId } = ref
  if (recipientId === 0n) return sendMessage(http, 200, textsIn(browser).page('testMessage'))
  // Read before the first statement: a client that closes its connection after it has sent all unsubscribes as well.
  const body = http.method === 'POST' ? await readBody() : undefined
  const ctx = newCtx(system, { ...ref, actor: { kind: 'VISITOR' } })
  const preferences = await limited(() => readPreferences(ctx, recipientId))
  if (!preferences) return sendMessage(http, 404, textsIn(browser).page('unsubscribe.expired'))
  const texts = textsIn(preferences.locale, browser)
  if (body === undefined) return sendPage(http, ctx, 200, preferencePage(texts, preferences))
  const sent = body.toString('latin1')
  const isOneClick = oneClick.test(sent) && !sent.includes('page=')
  const fields = isOneClick ? new URLSearchParams() : readFields(body)
  const post = { ctx, recipientId, preferences, texts, fields, isOneClick, ip: http.ip.slice(0, maxIpLength) }
  const isOptOut = isOneClick || !['save', 'undo', 'reason'].includes(fields.get('page') ?? '')
  if (!isOptOut) {
    // Links of a contact can write no more than that, because each choice is recorded.
    const { contactId } = preferences
    const { isExceeded } = await limiters.posts.perAddress.take(
      `${ref.accountId} preferences ${contactId}`,
      takenByChoice,
    )
    if (isExceeded || (await limited(() => hasDecidedTooOften(ctx, contactId)))) {
      return sendPage(http, ctx, 429, texts.page('preferences.tooMany'))
    }
  }
  const page = await limited(() => (isOptOut ? optOut(post) : choose(post)))
  // Mail programs show no answer to a click in them.
  if (isOneClick) return sendMessage(http, 200, page)
  return sendPage(http, ctx, 200, page)
}

/** A POST to the page of a message. */
interface Post {
  readonly ctx: Ctx
  readonly recipientId: bigint
  readonly preferences: Preferences
  readonly texts: Texts
  readonly fields: URLSearchParams
  readonly isOneClick: boolean
  readonly ip: string
}

/** Leaves the topic of the message, or everything. It is stored before the answer. A repeated one writes nothing. */
async function optOut({ ctx, recipientId, preferences, texts, fields, isOneClick, ip }: Post): Promise<MessagePage> {
  const { topic } = preferences
  const source = isOneClick ? optOutSources[0] : optOutSources[1]
  if (topic && (isOneClick || fields.get('page') === 'topic')) {
    const text = isOneClick ? '' : texts.text('preferences.leaveTopic', { topic: topic.name })
    if (!topic.receives && preferences.hasOptedOut) return optedOutPage(texts, preferences, topic.id)
    await leaveTopic(ctx, { recipientId, topicId: topic.id, source, text, ip })
    return optedOutPage(texts, await current({ ctx, recipientId, preferences }), topic.id)
  }
  const text = isOneClick ? '' : texts.text('unsubscribe.consent', { account: preferences.accountName })
  if (preferences.hasOptedOut && !preferences.isSubscribed) return optedOutPage(texts, preferences, null)
  await unsubscribe(ctx, { recipientId, source, text, ip })
  return optedOutPage(texts, await current({ ctx, recipientId, preferences }), null)
}

/** Saves preferences, undoes an opt-out, or stores its reason. */
async function choose(post: Post): Promise<MessagePage> {
  const { ctx, recipientId, texts, fields, ip } = post
  const consent = { source: pageSource, text: '', ip }
  const topicId = idIn(fields.get('topic'))
  switch (fields.get('page') as (typeof actions)[number]) {
    case 'undo': {
      await undo(ctx, { recipientId, topicId, ...consent, text: texts.text('unsubscribe.undo') })
      return preferencePage(texts, await current(post))
    }
    case 'reason': {
      const reason = reasons.find((each) => each === fields.get('reason'))
      if (reason) await answerWhy(ctx, recipientId, reason)
      return optedOutPage(texts, await current(post), topicId, reason !== undefined)
    }
  }
  const shown = fields.getAll('shown').flatMap((id) => idIn(id) ?? [])
  const wanted = new Set(fields.getAll('topic').flatMap((id) => idIn(id) ?? []))
  const language = fields.get('language') ?? ''
  const given = fields.get('frequency')
  await savePreferences(ctx, {
    recipientId,
    topics: new Map(shown.map((id) => [id, wanted.has(id)])),
    frequency: given === 'WEEKLY' || given === 'MONTHLY' ? given : 'ANY',
    // The region of a language that is known stays.
    locale:
      Object.hasOwn(languageNames, language) && language !== post.preferences.locale.split('-')[0]
        ? language
        : undefined,
    consent: { ...consent, text: texts.text('preferences.save') },
  })
  const saved = await current(post)
  // In the language that was chosen.
  return savedPage(textsIn(saved.locale, texts.language), saved)
}

/** Reads the preferences again after a change. */
async function current({ ctx, recipientId, preferences }: Pick<Post, 'ctx' | 'recipientId' | 'preferences'>) {
  const fresh = newCtx(ctx, { accountId: ctx.accountId, actor: { kind: 'VISITOR' } })
  return (await readPreferences(fresh, recipientId)) ?? preferences
}

function idIn(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null
}

/** Sends a page in the style of the account. */
async function sendPage(http: Context, ctx: Ctx, status: number, page: MessagePage): Promise<void> {
  const look = await limited(() => brands.pageStyleOf(ctx))
  const style = `${page.style ?? ''}${look ? messagePageStyle(look) : ''}`
  sendMessage(http, status, { ...page, style })
}
