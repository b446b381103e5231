import { legacyRoute } from '../envelope/route.ts'
import { readSalesAmount } from '../finance/orders.routes.ts'

/** Sales of the legacy API. */
export const legacySalesRoutes = [legacyRoute('/sales-amount', 'LEG-SALES-AMOUNT', readSalesAmount)]
