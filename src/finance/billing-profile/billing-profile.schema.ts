import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import * as billingProfile from './billing-profile.ts'

const VatRounding = builder.enumType('VatRounding', {
  description: 'What the VAT of prices without VAT is rounded for.',
  values: {
    RATE: { description: 'The total of each VAT rate, as EN 16931 requires (BR-CO-17).' },
    LINE: { description: 'Each line.' },
  },
})

export const BillingProfileType = builder.objectRef<billingProfile.BillingProfile>('BillingProfile').implement({
  description: 'Data of the seller on invoices and credit notes.',
  fields: (t) => ({
    companyName: t.exposeString('companyName', { description: "Name of the seller. Defaults to the account's name." }),
    address: t.exposeString('address', {
      description: 'Postal address of the seller, with line breaks. May be empty.',
    }),
    vatNumber: t.exposeString('vatNumber', { description: 'VAT number of the seller. May be empty.' }),
    footer: t.exposeString('footer', { description: 'Footer of each page. May be empty.' }),
    invoicePrefix: t.exposeString('invoicePrefix', { description: 'Prefix of invoice numbers.' }),
    creditNotePrefix: t.exposeString('creditNotePrefix', {
      description: 'Prefix of credit note numbers.',
    }),
    vatRounding: t.expose('vatRounding', {
      type: VatRounding,
      description: 'What VAT is rounded for on new orders and invoices with prices without VAT.',
    }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change. Until the first one, the time at which the account was created.',
    }),
  }),
})

readableWith('BillingProfile', 'finance:read')

builder.queryFields((t) => ({
  billingProfile: t.field({
    type: BillingProfileType,
    description: 'Returns the data of the seller on invoices and credit notes.',
    resolve: (_root, _args, ctx) => billingProfile.load(ctx),
  }),
}))

mutation('billingProfileUpdate', {
  needs: 'finance:write',
  description:
    'Updates the billing profile; absent fields stay as they are. Documents that were already issued do not change.',
  input: (t) => ({
    companyName: t.string({ description: 'Name of the seller. Maximum 255 characters.' }),
    address: t.string({
      description: 'Postal address of the seller. Maximum 500 characters; line breaks are allowed.',
    }),
    vatNumber: t.string({ description: 'VAT number of the seller. Maximum 64 characters.' }),
    footer: t.string({
      description: 'Footer of each page. Maximum 1,000 characters; text after three lines is cut off.',
    }),
    invoicePrefix: t.string({
      description:
        'Prefix of invoice numbers: letters, digits, dots, hyphens and underscores, maximum 32 characters. The numbers of each prefix start at 1.',
    }),
    creditNotePrefix: t.string({
      description: 'Prefix of credit note numbers, with the same rules as `invoicePrefix`.',
    }),
    vatRounding: t.field({
      type: VatRounding,
      description: 'What VAT is rounded for on new orders and invoices with prices without VAT.',
    }),
  }),
  run: billingProfile.update,
  lock: billingProfile.lock,
  payload: (t) => ({
    billingProfile: t.expose('billingProfile', {
      type: BillingProfileType,
      description: 'The billing profile after the change.',
    }),
  }),
})
