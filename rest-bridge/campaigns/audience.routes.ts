import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import { AudienceCountDocument, DeliverabilityStatsDocument } from '../generated/documents.ts'
import { queryIds, queryInteger } from '../input/input.ts'
import { ratio } from '../values/rates.ts'
import { plainTime } from '../values/time.ts'

const group = 'Campaigns'

/** The filters: name of the query parameter, name in the response, name in GraphQL. */
const filters = [
  ['incl_tag_ids', 'inclTags', 'includeTagIds'],
  ['excl_tag_ids', 'exclTags', 'excludeTagIds'],
  ['incl_sequence_ids', 'inclSeqs', 'includeSequenceIds'],
  ['excl_sequence_ids', 'exclSeqs', 'excludeSequenceIds'],
  ['incl_opens_email_ids', 'inclOpens', 'includeOpenedIds'],
  ['excl_opens_email_ids', 'exclOpens', 'excludeOpenedIds'],
  ['incl_not_opened_email_ids', 'inclNotOpened', 'includeNotOpenedIds'],
  ['excl_not_opened_email_ids', 'exclNotOpened', 'excludeNotOpenedIds'],
  ['incl_clicks_email_ids', 'inclClicks', 'includeClickedIds'],
  ['excl_clicks_email_ids', 'exclClicks', 'excludeClickedIds'],
  ['incl_not_clicked_email_ids', 'inclNotClicked', 'includeNotClickedIds'],
  ['excl_not_clicked_email_ids', 'exclNotClicked', 'excludeNotClickedIds'],
] as const

type Parameter = (typeof filters)[number][0]
type ResponseName = (typeof filters)[number][1]
type GraphName = (typeof filters)[number][2]

const listSchemas = Object.fromEntries(filters.map(([name]) => [`${name}[]`, queryIds.optional()])) as Record<
  `${Parameter}[]`,
  z.ZodOptional<typeof queryIds>
>

const integers = z.array(z.int())
const filtersSchema = z.strictObject({
  filterWay: z.int(),
  lists: integers,
  ...(Object.fromEntries(filters.map(([, name]) => [name, integers])) as Record<ResponseName, typeof integers>),
})

/** Returns the ids of a filter as the client sent them. */
function idsIn(query: Readonly<Record<string, unknown>>, parameter: Parameter): number[] {
  return ((query[`${parameter}[]`] ?? []) as string[]).map(Number)
}

const countAudience = route('GET /v1/audience-count', AudienceCountDocument, {
  id: 'AUD-COUNT',
  scopes: ['campaigns:read'],
  group,
  summary: 'Count the audience of a campaign',
  description:
    'Repeat a filter for each ID: `name[]=1&name[]=2`. An excluded contact is not counted, even if another filter includes it. Without filters, all contacts are counted. `opt_in` is the number of contacts that would receive the campaign.',
  errors: ['VALIDATION_ERROR'],
  query: z.object(listSchemas),
  variables: ({ query }) => ({
    lists: Object.fromEntries(filters.map(([parameter, , name]) => [name, query[`${parameter}[]`]])) as Partial<
      Record<GraphName, string[]>
    >,
  }),
  reply: one(
    z.strictObject({ total: z.int(), opt_in: z.int(), filters: filtersSchema }),
    ({ audience: { total, optIn } }, query) => ({
      total,
      opt_in: optIn,
      filters: {
        filterWay: 0,
        lists: [],
        ...(Object.fromEntries(filters.map(([parameter, name]) => [name, idsIn(query, parameter)])) as Record<
          ResponseName,
          number[]
        >),
      },
    }),
  ),
})

const count = z.int()

const readDeliverability = route('GET /v1/deliverability-stats', DeliverabilityStatsDocument, {
  id: 'DELIV-STATS',
  scopes: ['campaigns:read'],
  group,
  summary: 'Get deliverability statistics of the account',
  description:
    'Covers the last `days` days. Rates are ratios: 0.1678 means 16.78%. `bounce_rate` and `complaint_rate` are reserved and always null: they are not measured.',
  errors: ['VALIDATION_ERROR'],
  query: z.object({ days: queryInteger(1, 365, 30) }),
  variables: ({ query }) => ({ days: query.days }),
  reply: one(
    z.strictObject({
      period_days: count,
      since: z.string(),
      sent: count,
      unique_opens: count,
      unique_clicks: count,
      unsubscribes: count,
      open_rate: z.number(),
      click_rate: z.number(),
      unsubscribe_rate: z.number(),
      bounce_rate: z.null(),
      complaint_rate: z.null(),
    }),
    ({ mailReach: { days, since, reached, openers, clickers, unsubscribers } }) => ({
      period_days: days,
      since: plainTime(since),
      sent: reached,
      unique_opens: openers,
      unique_clicks: clickers,
      unsubscribes: unsubscribers,
      open_rate: ratio(openers, reached),
      click_rate: ratio(clickers, reached),
      unsubscribe_rate: ratio(unsubscribers, reached),
      bounce_rate: null,
      complaint_rate: null,
    }),
  ),
})

/** Audience and deliverability, from the specification's table “Campaigns”. */
export const audienceRoutes = [countAudience, readDeliverability]
