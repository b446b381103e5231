import { type Money, print } from '../kernel/money.ts'
import { builder } from './builder.ts'

export const MoneyType = builder.objectRef<Money>('Money').implement({
  description: 'An exact amount in a currency.',
  fields: (t) => ({
    amount: t.field({
      type: 'Decimal',
      description: 'How much, with the decimals of the currency: `12.50` in EUR, `1200` in JPY, `1.250` in KWD.',
      resolve: print,
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'Of what.' }),
  }),
})
