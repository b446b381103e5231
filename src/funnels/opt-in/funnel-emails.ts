import { emit } from '../../events/index.ts'
import { newConfirmationEmails } from '../../mail/index.ts'
import { byId, lock, notFound } from '../funnel/funnel-list.ts'

/** The operations on the confirmation e-mails of funnels. **Emit** `funnel.updated`. */
export const { set, remove, sendTest } = newConfirmationEmails({
  type: 'Funnel',
  name: 'funnel',
  find: async (ctx, id) => {
    const funnel = await ctx.load(byId, id)
    if (!funnel) throw notFound()
    return funnel
  },
  lock: (tx, id) => lock(tx, id),
  store: async (tx, id, emailId) => {
    await emit(tx, 'funnel.updated', { funnelId: id })
    return tx.db.funnel.update({
      where: { accountId_id: { accountId: tx.accountId, id } },
      data: { confirmationEmailId: emailId, updatedAt: tx.clock.now() },
    })
  },
})
