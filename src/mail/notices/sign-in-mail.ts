import {
  type InvitationPayload,
  invitationJob,
  type SignInPayload,
  signInJob,
  signInLinks,
  users,
} from '../../account/index.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { buildNotice, type Notice, ownNameLine } from './notice.ts'

/** The jobs that send links to sign in. A job that runs again sends a new link. */
export const signInJobs = { [signInJob]: sendSignInLinks, [invitationJob]: sendInvitation }

/** Maximum number of valid links of a user at a time, so that requests do not flood a mailbox. */
const maxLinks = 5

const ignore = 'If you did not expect this message, ignore it.'

async function sendSignInLinks(system: System, { email }: SignInPayload): Promise<void> {
  for (const { accountId, userId, links } of await signInLinks.findUsers(system, email)) {
    if (links >= maxLinks) continue
    const ctx = newCtx(system, { accountId })
    const name = await ownNameLine(ctx)
    await send(
      ctx,
      { userId, ttlMs: signInLinks.linkTtlMs },
      {
        to: email,
        subject: `Sign in to ${name}`,
        introduction: `With this link you sign in to the account ${name}:`,
        action: 'Sign in',
        footer: `The link is valid for ${signInLinks.linkTtlMs / 60_000} minutes and can be used once. ${ignore}`,
      },
    )
  }
}

async function sendInvitation(system: System, { accountId, userId }: InvitationPayload): Promise<void> {
  const ctx = newCtx(system, { accountId })
  const user = await ctx.load(users.byId, userId)
  if (!user || user.removedAt !== null) return
  const name = await ownNameLine(ctx)
  await send(
    ctx,
    { userId, ttlMs: signInLinks.invitationTtlMs },
    {
      to: user.email,
      subject: `Invitation to ${name}`,
      introduction: `You can now sign in to the account ${name}:`,
      action: 'Accept the invitation',
      footer: `The link is valid for seven days and can be used once. ${ignore}`,
    },
  )
}

async function send(
  ctx: Ctx,
  { userId, ttlMs }: { userId: number; ttlMs: number },
  notice: Omit<Notice, 'link' | 'id'>,
): Promise<void> {
  const { url: link } = await signInLinks.create(ctx, userId, ttlMs)
  const message = await buildNotice(ctx, { ...notice, link, id: ['sign-in', link] })
  try {
    await ctx.services.mail.send(message)
  } catch (error) {
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined || responseCode < 500) throw error
    ctx.log.warn({ err: error, accountId: ctx.accountId }, 'the mail server rejected a link to sign in')
  }
}
