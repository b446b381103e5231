import { type Money, print } from '../kernel/money.ts'
import { builder } from './builder.ts'

export const MoneyType = builder.objectRef<Money>('Money').implement({
  description: 'An exact amount of money in a currency.',
  fields: (t) => ({
    amount: t.field({
      type: 'Decimal',
      description:
        'Amount in the main unit of the currency, with the decimals of that currency: `12.50` in EUR, `1200` in JPY, `1.250` in KWD.',
      resolve: print,
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'Currency of the amount.' }),
  }),
})
