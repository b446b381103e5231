import { salesAmount } from '../finance/orders.routes.ts'
import { SalesAmountDocument } from '../generated/documents.ts'
import { toAmount } from '../money.ts'
import { requiredPeriod, withRequiredPeriod } from '../period.ts'
import { one, route } from '../route.ts'

const readSalesAmount = route(SalesAmountDocument, {
  id: 'LEG-SALES-AMOUNT',
  method: 'GET',
  path: '/sales-amount',
  needs: ['finance:read'],
  group: 'Legacy',
  summary: 'Read what completed and waiting orders come to',
  errors: ['INVALID_PERIOD'],
  query: withRequiredPeriod({}),
  variables: ({ query }) => requiredPeriod(query),
  reply: one(salesAmount, (data) => ({ amount: toAmount(data.salesAmount) })),
})

/** Sales of the unversioned API. */
export const legacySalesRoutes = [readSalesAmount]
