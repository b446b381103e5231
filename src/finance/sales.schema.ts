import { builder } from '../graphql/builder.ts'
import { MoneyType } from '../graphql/money.ts'
import { mutation, needing } from '../graphql/mutation.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { billingProfile, type Revenue, revenue, salesAmount } from './index.ts'

const RevenueType = builder.objectRef<Revenue>('Revenue').implement({
  description: 'What completed orders came to in one currency.',
  fields: (t) => ({
    amount: t.field({ type: MoneyType, description: 'What they came to, VAT included.', resolve: (row) => row }),
    orders: t.exposeInt('orders', { description: 'How many they are.' }),
  }),
})

readableWith('Revenue', 'finance:read')

const BillingProfileType = builder.objectRef<billingProfile.BillingProfile>('BillingProfile').implement({
  description: 'What stands on the papers of the account about itself.',
  fields: (t) => ({
    companyName: t.exposeString('companyName', { description: "Who sells; the account's name where never set." }),
    address: t.exposeString('address', { description: 'Where, with line breaks; may be empty.' }),
    vatNumber: t.exposeString('vatNumber', { description: 'Its VAT number; may be empty.' }),
    footer: t.exposeString('footer', { description: 'What stands at the foot of each page; may be empty.' }),
    invoicePrefix: t.exposeString('invoicePrefix', { description: 'What stands before the numbers of invoices.' }),
    creditNotePrefix: t.exposeString('creditNotePrefix', {
      description: 'What stands before the numbers of credit notes.',
    }),
  }),
})

readableWith('BillingProfile', 'finance:read')

builder.queryFields((t) => ({
  salesAmount: t.field({
    type: MoneyType,
    description: needing(
      'finance:read',
      "What the completed and the waiting orders of a period come to in the account's default currency, rounded to two decimals.",
    ),
    args: {
      period: t.arg({ type: PeriodType, required: true, description: "Placed when, in days of the account's zone." }),
      range: t.arg({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    },
    resolve: allowed('finance:read', (_root, args, ctx) => salesAmount(ctx, args)),
  }),
  revenue: t.field({
    type: [RevenueType],
    description: needing(
      'finance:read',
      'What the completed orders of a period come to, currency by currency, the largest amount first.',
    ),
    args: {
      period: t.arg({
        type: PeriodType,
        required: true,
        defaultValue: 'TODAY',
        description: "Placed when, in days of the account's zone.",
      }),
      range: t.arg({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    },
    complexity: listCost('currencies'),
    resolve: allowed('finance:read', (_root, args, ctx) => revenue(ctx, args)),
  }),
  billingProfile: t.field({
    type: BillingProfileType,
    description: needing('finance:read', 'What stands on the papers of the account about itself.'),
    resolve: allowed('finance:read', (_root, _args, ctx) => billingProfile.own(ctx)),
  }),
}))

mutation('billingProfileUpdate', {
  needs: 'finance:write',
  description: 'Changes what stands on papers that are issued from now on: only what is sent.',
  input: (t) => ({
    companyName: t.string({ description: 'Who sells.' }),
    address: t.string({ description: 'Where: 500 characters at most, line breaks allowed.' }),
    vatNumber: t.string({ description: 'Its VAT number: 64 characters at most.' }),
    footer: t.string({ description: 'What stands at the foot of each page: as much as three small lines hold.' }),
    invoicePrefix: t.string({
      description:
        'What stands before the numbers of invoices: letters, digits, dots, hyphens, underscores. Each prefix counts from 1.',
    }),
    creditNotePrefix: t.string({ description: 'The same for credit notes.' }),
  }),
  run: billingProfile.update,
  payload: (t) => ({
    billingProfile: t.field({
      type: BillingProfileType,
      description: 'The profile after this.',
      resolve: (result) => result.billingProfile,
    }),
  }),
})
