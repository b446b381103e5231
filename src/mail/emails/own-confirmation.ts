import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { refuseValue } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { type BodyInput, checkBody } from './body-input.ts'
import { setConfirmationEmail } from './confirmation-emails.ts'
import type { EmailMeta } from './email-meta.ts'
import * as emails from './emails.ts'
import { sendTestMessages, type TestMessage } from './test-messages.ts'

/** An object that can have a confirmation e-mail of its own: a form or a funnel. */
interface Owner {
  readonly id: number
  readonly confirmationEmailId: number | null
}

/** What the operations need of the module of the owners. */
interface Owners<Row extends Owner, Name extends string> {
  readonly type: 'Form' | 'Funnel'
  /** The field of the results that has the owner. */
  readonly name: Name
  /** Returns an owner. Throws NOT_FOUND. */
  readonly find: (ctx: Ctx, id: number) => Promise<Row>
  /** Returns an owner, which is locked until the transaction ends. Throws NOT_FOUND. */
  readonly lock: (tx: Ctx, id: string | number) => Promise<Row>
  /** Stores the e-mail of a locked owner, and announces the change. */
  readonly store: (tx: Ctx, id: number, emailId: number | null) => Promise<Row>
}

type Id = string | number

/** Creates the operations on the confirmation e-mails of forms or funnels. */
export function newConfirmationEmails<Row extends Owner, Name extends string>(owners: Owners<Row, Name>) {
  const { type, name, find, lock, store } = owners
  type Named = Record<Name, Row>
  const named = (owner: Row) => ({ [name]: owner }) as Named
  return {
    /**
     * Sets the given parts of the e-mail of an owner, which is created if there is none. Announces the change of the owner.
     * **Throws** NOT_FOUND and VALIDATION_ERROR, also for a body that cannot be sent (`checkBody`).
     */
    async set(ctx: Ctx, input: { id: Id } & BodyInput & EmailMeta): Promise<Named & { email: emails.Email }> {
      const { id, html, text, content, shippedTemplate, templateId, ...meta } = input
      const body = await checkBody(ctx, { html, text, content, shippedTemplate, templateId })
      return inTransaction(ctx, async (tx) => {
        const before = await lock(tx, id)
        const email = await setConfirmationEmail(tx, before.confirmationEmailId, { body, meta })
        return { ...named(await store(tx, before.id, email.id)), email }
      })
    },

    /** Deletes the e-mail of an owner, and announces the change if there was one. Idempotent. **Throws** NOT_FOUND. */
    async remove(ctx: Ctx, input: { id: Id }): Promise<Named> {
      return inTransaction(ctx, async (tx) => {
        const before = await lock(tx, input.id)
        if (before.confirmationEmailId === null) return named(before)
        const owner = await store(tx, before.id, null)
        await emails.remove(tx, [before.confirmationEmailId])
        return named(owner)
      })
    },

    /**
     * Sends the e-mail of an owner to some addresses as a test; its link confirms nothing. Returns what became of each message.
     * **Throws** NOT_FOUND, INVALID_STATE if there is no e-mail, and what `sendTestMessages` throws.
     */
    async sendTest(
      ctx: Ctx,
      input: { id: Id; emails: readonly string[] },
    ): Promise<Named & { results: TestMessage[] }> {
      const owner = await find(ctx, idOf(type, input.id))
      const { confirmationEmailId: emailId } = owner
      if (emailId === null)
        throw refuseValue('id', 'INVALID_STATE', `The ${type.toLowerCase()} has no confirmation e-mail of its own.`)
      const results = await sendTestMessages(ctx, { emailId, emails: input.emails, contactId: null })
      return { ...named(owner), results }
    },
  }
}
