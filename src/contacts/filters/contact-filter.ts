import type { Ctx, Loader } from '../../db/context.ts'
import type { Exclusion, Field, Filter, FilterDefinition } from '../../db/filters/filter.ts'
import {
  emailAddress,
  flag,
  identity,
  member,
  related,
  relatedOneOf,
  text,
  time,
} from '../../db/filters/filter-fields.ts'
import { sortedText, type TextFilter, type TextOptions } from '../../db/filters/value-conditions.ts'
import { addressHintOf, hintOf, search } from '../../db/lists/search.ts'
import { empty, isOneOf, raw, type Sql, sql } from '../../db/sql.ts'
import * as customFields from '../custom-fields/custom-fields.ts'
import { type ContactRelation, type ContactTrait, type PurchasesFilter, ports } from '../ports.ts'
import { mapTexts, type TextKey } from '../record/fields.ts'
import * as tags from '../tags/tags.ts'
import { selectReceivers, selectThoseWhoLeft } from '../topics/memberships.ts'
import * as topics from '../topics/topics.ts'
import { customFieldValues } from './custom-field-filter.ts'
import { segmentMembership } from './segment-membership.ts'
import * as segments from './segment-table.ts'

/**
 * The words of a contact by which it is searched: the column with their form, if they are not in ASCII. The index of contacts has
 * this expression.
 */
export const contactDocument = sql`coalesce(c.words, lower((' ' || c.email || ' ' || c.first_name || ' ' || c.last_name || ' '
  || c.company_name || ' ' || c.phone) COLLATE "C"))`
const addressHint = addressHintOf(contactDocument)
const relation = (of: ContactRelation) => (ctx: Ctx, ids?: readonly number[]) => ports.selectContacts(ctx, of, ids)
const trait = (of: ContactTrait) => (ctx: Ctx, values: readonly string[]) => ports.selectContactsWith(ctx, of, values)

const purchases: Field<'purchases', PurchasesFilter> = {
  kind: 'purchases',
  needs: 'finance:read',
  leaves: (value, place) => ports.sales.purchases(value, place),
}

const products: Field<'text', TextFilter> = {
  kind: 'text',
  needs: 'finance:read',
  leaves: (value, place) => ports.sales.products(value, place),
}

/** Selects the ids of the contacts that have any of the tags, or any tag at all. Links to deleted tags are ignored. */
function withTags(ctx: Ctx, tagIds: readonly number[] | undefined): Sql {
  const all = sql`SELECT h.contact_id FROM contact_tag h WHERE h.account_id = ${ctx.sql.account}`
  const present = sql`FROM tag t WHERE t.account_id = ${ctx.sql.account}`
  const ofTags = tagIds ? sql`AND ${isOneOf(sql`h.tag_id`, tagIds)}` : empty
  // For a single tag, the subquery runs once and is no join.
  const id = tagIds?.length === 1 ? sql`${tagIds[0]}::int` : sql`h.tag_id`
  return sql`${all} ${ofTags} AND EXISTS (SELECT ${present} AND t.id = ${id})`
}

/** How the indexes of the order and of the words find a name. */
const hints: Partial<Record<TextKey, TextOptions>> = {
  firstName: sortedText(sql`c.first_name`, hintOf(contactDocument)),
  lastName: sortedText(sql`c.last_name`, hintOf(contactDocument)),
}

const fields = {
  id: identity('Contact'),
  ...mapTexts(({ key, column }) => text(raw(`c.${column}`), hints[key])),
  timeZone: text(sql`c.time_zone`),
  locale: text(sql`c.locale`),
  email: emailAddress(sql`c.email`, { hint: addressHint }),
  emailMarketing: flag(sql`c.email_marketing`),
  gdpr: flag(sql`c.gdpr`),
  createdAt: time(sql`c.created_at`),
  updatedAt: time(sql`c.updated_at`),
  lastActiveAt: time(sql`c.last_active_at`),
  search: search(contactDocument),
  tags: member('Tag', withTags),
  segments: segmentMembership,
  topics: member('Topic', selectReceivers),
  topicsLeft: member('Topic', selectThoseWhoLeft),
  customFields: customFieldValues,
  sequences: member('Sequence', relation('SEQUENCES'), 'sequences:read'),
  nextStages: member('SequenceStage', relation('NEXT_STAGES'), 'sequences:read'),
  stagesSent: member('SequenceStage', relation('STAGES_SENT'), 'sequences:read'),
  stagesOpened: member('SequenceStage', relation('STAGES_OPENED'), 'sequences:read'),
  stagesClicked: member('SequenceStage', relation('STAGES_CLICKED'), 'sequences:read'),
  forms: member('Form', relation('FORMS'), 'forms:read'),
  outcomes: member('Outcome', relation('OUTCOMES'), 'forms:read'),
  funnelsVisited: member('Funnel', relation('FUNNELS_VISITED'), 'funnels:read'),
  stepsVisited: member('FunnelStep', relation('STEPS_VISITED'), 'funnels:read'),
  campaignsSent: member('Campaign', relation('CAMPAIGNS_SENT'), 'campaigns:read'),
  campaignsOpened: member('Campaign', relation('CAMPAIGNS_OPENED'), 'campaigns:read'),
  campaignsNotOpened: member('Campaign', relation('CAMPAIGNS_NOT_OPENED'), 'campaigns:read'),
  campaignsClicked: member('Campaign', relation('CAMPAIGNS_CLICKED'), 'campaigns:read'),
  campaignsNotClicked: member('Campaign', relation('CAMPAIGNS_NOT_CLICKED'), 'campaigns:read'),
  hasOrders: related(relation('ORDERS'), 'finance:read'),
  purchases,
  products,
  subscriptionStatus: relatedOneOf('BillingSubscriptionStatus', trait('SUBSCRIPTION_STATUS'), 'finance:read'),
  suppressed: related(relation('SUPPRESSION'), 'mail:read'),
  suppressionReason: relatedOneOf('SuppressionReason', trait('SUPPRESSION_REASON'), 'mail:read'),
  suppressionCause: relatedOneOf('FailureCause', trait('SUPPRESSION_CAUSE'), 'mail:read'),
} as const

/** Filter for contacts. */
export type ContactFilter = Filter<typeof fields>

/** The filter of all lists of contacts, of audiences and of exports. */
export const contactFilter: FilterDefinition<typeof fields> = {
  fields,
  rowId: sql`c.id`,
  from: (ctx) => sql`FROM contact c WHERE c.account_id = ${ctx.sql.account}`,
}

/** Selects the ids of the contacts whose words match, for the searches of rows that belong to contacts. */
export function selectMatching(ctx: Ctx, matches: (document: Sql) => Sql): Sql {
  return sql`SELECT c.id FROM contact c WHERE c.account_id = ${ctx.sql.account} AND ${matches(contactDocument)}`
}

/** Returns the rows that a filter excludes and that were deleted or never existed. */
export async function findDeleted(ctx: Ctx, exclusions: readonly Exclusion[]): Promise<Exclusion[]> {
  const deleted: Exclusion[] = []
  for (const [type, all] of Map.groupBy(exclusions, (each) => each.type)) {
    const known = await existingIds(ctx, type, [...new Set(all.map(({ id }) => id))])
    deleted.push(...all.filter(({ id }) => !known.has(id)))
  }
  return deleted
}

const loaders: Readonly<Record<string, Loader<number, { id: number }, null>>> = {
  Tag: tags.byId,
  Topic: topics.byId,
  CustomField: customFields.byId,
  Segment: segments.byId,
}

async function existingIds(ctx: Ctx, type: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const loader = loaders[type]
  if (!loader) return new Set(await ports.existingIds(ctx, type, ids))
  const rows = await Promise.all(ids.map((id) => ctx.load(loader, id)))
  return new Set(rows.flatMap((row) => (row ? [row.id] : [])))
}
