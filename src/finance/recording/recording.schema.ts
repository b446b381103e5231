import { AttributionInput } from '../../contacts/record/attribution.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { scopeText } from '../../graphql/schema/descriptions.ts'
import type { InputBuilder } from '../../graphql/schema/mutation.ts'

const CustomerInput = builder.inputType('CustomerInput', {
  description: 'The buyer. Absent fields stay as they are stored.',
  fields: (t) => ({
    email: t.string({
      required: true,
      description:
        'E-mail address that identifies the customer, in any of its spellings. If there is no such customer, it is created.',
    }),
    firstName: t.string({ description: 'First name. Maximum 255 characters.' }),
    lastName: t.string({ description: 'Last name. Maximum 255 characters.' }),
    companyName: t.string({ description: 'Company name. Maximum 255 characters.' }),
    address: t.string({
      description: 'Postal address as it is printed on invoices. Maximum 500 characters; line breaks are allowed.',
    }),
    vatNumber: t.string({ description: 'VAT number. Maximum 64 characters.' }),
  }),
})

const ProviderEventInput = builder.inputType('ProviderEventInput', {
  description:
    "The payment provider's event that reports the operation. If the same event is sent again, no changes are made and the current object is returned.",
  fields: (t) => ({
    provider: t.string({ required: true, description: 'Name of the payment provider. Maximum 64 characters.' }),
    eventId: t.string({ required: true, description: "The provider's id of the event. Maximum 255 characters." }),
  }),
})

export const LineInput = builder.inputType('LineInput', {
  description: 'A line of an order, an invoice or a credit note.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Name of the product or service. Maximum 255 characters.' }),
    quantity: t.int({ description: 'Number of units. Defaults to 1. Maximum 1,000,000.' }),
    unitPrice: t.field({
      type: 'Decimal',
      required: true,
      description:
        'Price of one unit, without VAT unless `pricesInclVat` is true. Negative for a discount. Maximum 6 decimals in any currency; the total of the units is rounded to the decimals of the currency, halves away from zero.',
    }),
    vatRate: t.field({ type: 'Decimal', description: 'VAT rate in percent, with up to 4 decimals. Defaults to 0.' }),
  }),
})

/** The input field for the provider's event. */
export const providerEventField = (t: InputBuilder) => ({
  providerEvent: t.field({
    type: ProviderEventInput,
    description: 'Event of the payment provider. The operation runs once per event; events are remembered for 90 days.',
  }),
})

/** The required input field for the buyer. */
export const customer = (t: InputBuilder) => t.field({ type: CustomerInput, required: true, description: 'The buyer.' })

/** The input field for the buyer, if other fields can determine the buyer too. */
export const optionalCustomer = (t: InputBuilder, description: string) => t.field({ type: CustomerInput, description })

/** The input field that creates a contact for the buyer. */
export const createContact = (t: InputBuilder) =>
  t.boolean({
    description: `Whether to create a contact if none has the e-mail address of the customer. If the quota of contacts is used up, no contact is created. Defaults to false. ${scopeText('contacts:write', 'if true')}`,
  })

/** `createContact` needs the scope to create contacts. */
export const alsoNeeds = ({ createContact }: { createContact?: boolean | null | undefined }) => [
  createContact ? ('contacts:write' as const) : null,
]

/** The input field for lines. */
export const lines = (t: InputBuilder, description: string) =>
  t.field({ type: [LineInput], required: { list: false, items: true }, description })

/** The input field for prices with VAT. */
export const pricesInclVat = (t: InputBuilder, more = '') =>
  t.boolean({
    description: `Whether the prices of the lines include VAT. VAT is then taken out of the total of each VAT rate: 9.99 at 19 % is 8.39 and 1.60 VAT. Defaults to false.${more}`,
  })

/** The input field for the marketing source. */
export const attribution = (t: InputBuilder) =>
  t.field({
    type: [AttributionInput],
    required: { list: false, items: true },
    description: 'Marketing source of the order, such as UTM parameters. Each key may occur once.',
  })

/** The input field for the currency. */
export const currency = (t: InputBuilder, defaultValue: string) =>
  t.field({ type: 'CurrencyCode', description: `Currency of the amounts. Defaults to ${defaultValue}.` })

/** The input field for the time of an operation that is recorded later. */
export const createdAt = (t: InputBuilder) =>
  t.field({ type: 'DateTime', description: 'Time of creation, not in the future. Defaults to now.' })
