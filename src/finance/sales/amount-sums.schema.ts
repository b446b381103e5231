import type { InputObjectRef } from '@pothos/core'
import type { Ctx } from '../../db/context.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { moneyField } from '../../graphql/schema/money.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { CreditNoteFilter } from '../billing/credit-note.schema.ts'
import { InvoiceFilter } from '../billing/invoice.schema.ts'
import { OrderFilter } from '../orders/order.schema.ts'
import { TransactionFilter } from '../transactions/transaction.schema.ts'
import type { AmountSum } from './amount-sums.ts'
import * as amountSums from './amount-sums.ts'

const AmountSumType = builder.objectRef<AmountSum>('AmountSum').implement({
  description: 'Sum of amounts in one currency.',
  fields: (t) => ({
    amount: moneyField(t, 'amount', 'The sum, VAT included.'),
    count: t.exposeInt('count', { description: 'Number of amounts.' }),
  }),
})

readableWith('AmountSum', 'finance:read')

function sumField<Filter>(
  name: string,
  filter: InputObjectRef<Schema, Filter>,
  description: string,
  sums: (ctx: Ctx, filter: Filter | null | undefined) => Promise<AmountSum[]>,
): void {
  builder.queryField(name, (t) =>
    t.field({
      type: [AmountSumType],
      description: `Returns the sums of the amounts of ${description} by currency, largest first.`,
      args: {
        filter: t.arg({ type: filter, description: 'Adds up only the elements that match. Defaults to all elements.' }),
      },
      complexity: { ...listCost('currencies'), weight: 50 },
      resolve: (_root, args, ctx) => sums(ctx, (args as { filter?: Filter | null }).filter),
    }),
  )
}

sumField('orderSums', OrderFilter, 'orders', amountSums.ofOrders)
sumField('invoiceSums', InvoiceFilter, 'invoices', amountSums.ofInvoices)
sumField('creditNoteSums', CreditNoteFilter, 'credit notes', amountSums.ofCreditNotes)
sumField(
  'transactionSums',
  TransactionFilter,
  'transactions; those with the status REFUNDED, by `updatedAt`, are the refunds of a period,',
  amountSums.ofTransactions,
)
