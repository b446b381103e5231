import { campaignList } from '../campaigns/index.ts'
import type { ContactPorts, ContactRelation } from '../contacts/index.ts'
import type { Ctx, Loader } from '../db/context.ts'
import type { Sql } from '../db/sql.ts'
import { orderList } from '../finance/index.ts'
import { formList, submissionList } from '../forms/index.ts'
import { recipients } from '../mail/index.ts'
import { enrolmentList, sequences } from '../sequences/index.ts'

const { contactsWithReaction } = recipients

/** The relations of contacts to rows of the higher modules. */
const relations: Readonly<Record<ContactRelation, (ctx: Ctx, ids: readonly number[] | undefined) => Sql>> = {
  SEQUENCES: enrolmentList.contactsIn,
  FORMS: submissionList.contactsWithForms,
  CAMPAIGNS_SENT: (ctx, ids) => contactsWithReaction(ctx, 'Sent', ids),
  CAMPAIGNS_OPENED: (ctx, ids) => contactsWithReaction(ctx, 'Opened', ids),
  CAMPAIGNS_NOT_OPENED: (ctx, ids) => contactsWithReaction(ctx, 'NotOpened', ids),
  CAMPAIGNS_CLICKED: (ctx, ids) => contactsWithReaction(ctx, 'Clicked', ids),
  CAMPAIGNS_NOT_CLICKED: (ctx, ids) => contactsWithReaction(ctx, 'NotClicked', ids),
  ORDERS: orderList.contactsWithOrders,
}

const loaders: Readonly<Record<string, Loader<number, { id: number }, null>>> = {
  Sequence: sequences.byId,
  Campaign: campaignList.byId,
  Form: formList.byId,
}

/** The functions of the port of contacts that filters and segments use. */
export const contactRelations: Pick<ContactPorts, 'selectContacts' | 'existingIds' | 'campaignsWithSegment'> = {
  campaignsWithSegment: campaignList.findWithSegment,
  selectContacts: (ctx, relation, ids) => relations[relation](ctx, ids),
  existingIds: async (ctx, type, ids) => {
    const loader = loaders[type]
    if (!loader) throw new Error(`Filters have no ids of the type ${type}.`)
    const rows = await Promise.all(ids.map((id) => ctx.load(loader, id)))
    return rows.flatMap((row) => (row ? [row.id] : []))
  },
}
