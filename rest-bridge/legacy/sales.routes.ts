import { salesAmount } from '../finance/orders.routes.ts'
import { SalesAmountDocument } from '../generated/documents.ts'
import { toAmount } from '../money.ts'
import { periodArguments, queryWithRequiredPeriod } from '../period.ts'
import { one, route } from '../route.ts'

const readSalesAmount = route(SalesAmountDocument, {
  id: 'LEG-SALES-AMOUNT',
  method: 'GET',
  path: '/sales-amount',
  scopes: ['finance:read'],
  group: 'Legacy',
  summary: 'Get the total amount of completed and waiting orders',
  errors: ['INVALID_PERIOD'],
  query: queryWithRequiredPeriod({}),
  variables: ({ query }) => periodArguments(query),
  reply: one(salesAmount, (data) => ({ amount: toAmount(data.salesAmount) })),
})

/** Sales of the legacy API. */
export const legacySalesRoutes = [readSalesAmount]
