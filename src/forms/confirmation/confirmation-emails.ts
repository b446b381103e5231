import { newConfirmationEmails } from '../../mail/index.ts'
import { byId, lock, markUpdated, notFound } from '../form/form-list.ts'

/** The operations on the confirmation e-mails of forms. **Emit** `form.updated`. */
export const { set, remove, sendTest } = newConfirmationEmails({
  type: 'Form',
  name: 'form',
  find: async (ctx, id) => {
    const form = await ctx.load(byId, id)
    if (!form) throw notFound()
    return form
  },
  lock: (tx, id) => lock(tx, id),
  store: async (tx, id, emailId) => {
    await tx.sql`
      UPDATE form SET confirmation_email_id = ${emailId}::int WHERE account_id = ${tx.sql.account} AND id = ${id}`
    return markUpdated(tx, id)
  },
})
