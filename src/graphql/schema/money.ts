import { type Money, print, printPrice } from '../../kernel/values/money.ts'
import { builder, type Schema } from './builder.ts'

export const MoneyType = builder.objectRef<Money & { readonly isUnitPrice?: boolean }>('Money').implement({
  description: 'An exact amount of money in a currency.',
  fields: (t) => ({
    amount: t.field({
      type: 'Decimal',
      description:
        'Amount in the main unit of the currency, with the decimals of that currency: `12.50` in EUR, `1200` in JPY, `1.250` in KWD. A unit price may have more.',
      resolve: (money) => (money.isUnitPrice ? printPrice(money) : print(money)),
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'Currency of the amount.' }),
  }),
})

/** The columns of a row that contain an amount. */
type AmountColumn<Row> = { [Key in keyof Row]-?: Row[Key] extends Money['amount'] ? Key : never }[keyof Row]

/** Returns a field with the amount in a column, in the currency of the row. A unit price is returned with all of its decimals. */
export function moneyField<Row extends { currency: string }>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Row>,
  column: AmountColumn<Row>,
  description: string,
  { isUnitPrice = false }: { isUnitPrice?: boolean } = {},
) {
  const resolve = (row: Row) => ({ amount: row[column] as string, currency: row.currency, isUnitPrice })
  return t.field({ type: MoneyType, description, resolve: resolve as never })
}
