import { legacyRoute } from '../envelope/route.ts'
import { readSalesAmount } from '../finance/orders.routes.ts'

/** Sales of the legacy API. */
export const legacySalesRoutes = [legacyRoute('LEG-SALES-AMOUNT', readSalesAmount)]
