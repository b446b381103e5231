import { campaignList } from '../campaigns/index.ts'
import type { ContactPorts, ContactRelation, ContactTrait, OwnedObject } from '../contacts/index.ts'
import type { Ctx, Loader } from '../db/context.ts'
import type { Sql } from '../db/sql.ts'
import { orderList, salesConditions, subscriptionList } from '../finance/index.ts'
import { formList, outcomeList, submissionList } from '../forms/index.ts'
import { funnelList, stepList, visitors } from '../funnels/index.ts'
import { emails, recipients, suppressions } from '../mail/index.ts'
import { enrolmentList, sequences, stages } from '../sequences/index.ts'

const { contactsWithReaction, toCampaigns } = recipients
const { contactsWithSuppression } = suppressions
type Ids = readonly number[] | undefined
const ofCampaigns = (reaction: recipients.Reaction) => (ctx: Ctx, ids: Ids) =>
  contactsWithReaction(ctx, reaction, toCampaigns(ids))
const ofStages = (reaction: recipients.Reaction) => (ctx: Ctx, ids: Ids) =>
  contactsWithReaction(ctx, reaction, stages.toStages(ctx, ids))

/** The relations of contacts to rows of the higher modules. */
const relations: Readonly<Record<ContactRelation, (ctx: Ctx, ids: Ids) => Sql>> = {
  SEQUENCES: enrolmentList.contactsIn,
  NEXT_STAGES: enrolmentList.contactsBefore,
  STAGES_SENT: ofStages('Sent'),
  STAGES_OPENED: ofStages('Opened'),
  STAGES_CLICKED: ofStages('Clicked'),
  FORMS: submissionList.contactsWithForms,
  OUTCOMES: submissionList.contactsWithOutcomes,
  FUNNELS_VISITED: visitors.contactsOnFunnels,
  STEPS_VISITED: visitors.contactsOnSteps,
  CAMPAIGNS_SENT: ofCampaigns('Sent'),
  CAMPAIGNS_OPENED: ofCampaigns('Opened'),
  CAMPAIGNS_NOT_OPENED: ofCampaigns('NotOpened'),
  CAMPAIGNS_CLICKED: ofCampaigns('Clicked'),
  CAMPAIGNS_NOT_CLICKED: ofCampaigns('NotClicked'),
  ORDERS: orderList.contactsWithOrders,
  SUPPRESSION: (ctx) => contactsWithSuppression(ctx),
}

const traits: Readonly<Record<ContactTrait, (ctx: Ctx, values: readonly string[]) => Sql>> = {
  SUBSCRIPTION_STATUS: subscriptionList.contactsWithStatus,
  SUPPRESSION_REASON: (ctx, reasons) => contactsWithSuppression(ctx, { reasons }),
  SUPPRESSION_CAUSE: (ctx, causes) => contactsWithSuppression(ctx, { causes }),
}

const owners: Readonly<Record<OwnedObject, (ctx: Ctx, ids: readonly number[]) => Sql>> = {
  ORDER: orderList.contactsOfOrders,
  SUBSCRIPTION: subscriptionList.contactsOfSubscriptions,
  SUBMISSION: submissionList.contactsOfSubmissions,
}

const loaders: Readonly<Record<string, Loader<number, { id: number }, null>>> = {
  Sequence: sequences.byId,
  Campaign: campaignList.byId,
  Form: formList.byId,
  SequenceStage: stages.byId,
  Outcome: outcomeList.byId,
  Funnel: funnelList.byId,
  FunnelStep: stepList.byId,
}

/** The functions of the port of contacts that filters and segments use. */
export const contactRelations: Pick<
  ContactPorts,
  | 'selectContacts'
  | 'selectContactsWith'
  | 'selectOwners'
  | 'sales'
  | 'existingIds'
  | 'campaignsWithSegment'
  | 'emailsWithTopic'
> = {
  campaignsWithSegment: campaignList.findWithSegment,
  emailsWithTopic: emails.countWithTopic,
  selectContacts: (ctx, relation, ids) => relations[relation](ctx, ids),
  selectContactsWith: (ctx, trait, values) => traits[trait](ctx, values),
  selectOwners: (ctx, of, ids) => owners[of](ctx, ids),
  sales: salesConditions,
  existingIds: async (ctx, type, ids) => {
    const loader = loaders[type]
    if (!loader) throw new Error(`Filters have no ids of the type ${type}.`)
    const rows = await Promise.all(ids.map((id) => ctx.load(loader, id)))
    return rows.flatMap((row) => (row ? [row.id] : []))
  },
}
