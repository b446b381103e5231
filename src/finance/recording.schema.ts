import { AttributionInput } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import type { InputBuilder } from '../graphql/mutation.ts'

const CustomerInput = builder.inputType('CustomerInput', {
  description: 'Who buys. What is not given stays as it is known.',
  fields: (t) => ({
    email: t.string({ required: true, description: 'Finds the customer, in whatever case, or makes one.' }),
    firstName: t.string({ description: '255 characters at most.' }),
    lastName: t.string({ description: '255 characters at most.' }),
    companyName: t.string({ description: '255 characters at most.' }),
    address: t.string({ description: 'As it is to stand on papers: 500 characters at most, line breaks allowed.' }),
    vatNumber: t.string({ description: '64 characters at most.' }),
  }),
})

const ProviderEventInput = builder.inputType('ProviderEventInput', {
  description:
    "A payment provider's message that tells of this. The same message again changes nothing and answers the row as it is now.",
  fields: (t) => ({
    provider: t.string({ required: true, description: 'Who told: 64 characters at most.' }),
    eventId: t.string({ required: true, description: "The provider's own id of the message: 255 characters at most." }),
  }),
})

export const LineInput = builder.inputType('LineInput', {
  description: 'What is bought.',
  fields: (t) => ({
    name: t.string({ required: true, description: '255 characters at most.' }),
    quantity: t.int({ description: 'How many: 1 where absent.' }),
    unitPrice: t.field({
      type: 'Decimal',
      required: true,
      description: 'The price of one, without VAT; negative for a discount.',
    }),
    vatRate: t.field({ type: 'Decimal', description: 'The VAT rate in percent: 0 where absent.' }),
  }),
})

/** The provider's message, as every recording mutation takes it. */
export const reported = (t: InputBuilder) => ({
  providerEvent: t.field({
    type: ProviderEventInput,
    description: 'Makes this happen once, however often a payment provider tells of it: kept for 90 days.',
  }),
})

/** Who it is for. */
export const customer = (t: InputBuilder) => t.field({ type: CustomerInput, required: true, description: 'Who buys.' })

/** Who it is for, where something else may tell that too. */
export const optionalCustomer = (t: InputBuilder, description: string) => t.field({ type: CustomerInput, description })

/** Whether a contact is made. */
export const createContact = (t: InputBuilder) =>
  t.boolean({
    description:
      'Whether to make a contact of the address where there is none, and the quota allows. No, where absent. Needs the scope `contacts:write`.',
  })

/** Making a contact writes in the room of contacts. */
export const alsoNeeds = ({ createContact }: { createContact?: boolean | null | undefined }) => [
  createContact ? ('contacts:write' as const) : null,
]

/** What is bought. */
export const lines = (t: InputBuilder, description: string) =>
  t.field({ type: [LineInput], required: { list: false, items: true }, description })

/** Where the buyer came from. */
export const attribution = (t: InputBuilder) =>
  t.field({
    type: [AttributionInput],
    required: { list: false, items: true },
    description: 'Where the buyer came from: each key once.',
  })

/** Of what money. */
export const currency = (t: InputBuilder, usual: string) =>
  t.field({ type: 'CurrencyCode', description: `A currency in use: ${usual} where absent.` })

/** When it happened, for what is recorded later. */
export const createdAt = (t: InputBuilder) =>
  t.field({ type: 'DateTime', description: 'When it was made, if that was before now.' })
