import { readSalesAmount } from '../finance/orders.routes.ts'
import { legacyRoute } from '../route.ts'

/** Sales of the legacy API. */
export const legacySalesRoutes = [legacyRoute('/sales-amount', 'LEG-SALES-AMOUNT', readSalesAmount)]
