import { FormType } from '../../forms/form/form.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { loadedById, reads } from '../../graphql/schema/row-fields.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { checkOptions, resolveCheck } from '../../mail/checks/confirmation-check.schema.ts'
import { EmailType, emailBody, emailDetails } from '../../mail/emails/email.schema.ts'
import { resultsOptions, TestMessageResult, testAddresses, testText } from '../../mail/emails/test-messages.schema.ts'
import { FunnelType, funnelId } from '../funnel/funnel.schema.ts'
import { lock } from '../funnel/funnel-list.ts'
import type { ConfirmationFigures } from './confirmation-figures.ts'
import * as confirmationFigures from './confirmation-figures.ts'
import * as funnelEmails from './funnel-emails.ts'

const Figures = builder.objectRef<ConfirmationFigures>('ConfirmationFigures').implement({
  description: 'What became of the confirmations that were requested in the last 30 days. Reminders do not count.',
  fields: (t) => ({
    sent: t.exposeInt('sent', { description: 'Number of confirmations that were requested by e-mail.' }),
    confirmed: t.exposeInt('confirmed', { description: 'Number of those that were given.' }),
    waiting: t.exposeInt('waiting', { description: 'Number of those that were not given yet. Their links are valid.' }),
    lost: t.exposeInt('lost', {
      description: 'Number of those that were not given within the seven days in which links are valid.',
    }),
  }),
})

readableWith('ConfirmationFigures', 'forms:read', 'funnels:read')

/** Counts rows, as figures of a period do. */
const figuresCost = 10

builder.objectField(FormType, 'confirmations', (t) =>
  t.field({
    type: Figures,
    description: 'Confirmations of opt-ins with the form in the last 30 days (`Account.doubleOptIn`).',
    complexity: figuresCost,
    ...loadedById(confirmationFigures.ofForm),
  }),
)

builder.prismaObjectFields(FunnelType, (t) => ({
  confirmations: t.field({
    type: Figures,
    description:
      'Confirmations of opt-ins with the forms of its present steps in the last 30 days (`Account.doubleOptIn`).',
    complexity: figuresCost,
    ...loadedById(confirmationFigures.ofFunnel),
  }),
  confirmationEmail: t.node('confirmationEmailId', {
    type: EmailType,
    description:
      'The e-mail that asks a visitor to confirm the address (`Account.doubleOptIn`), for the forms of its steps that have none of their own. Null if the funnel has none: a message of the server is sent.',
  }),
  confirmationCheck: t.field({
    ...checkOptions,
    extensions: reads('confirmationEmailId'),
    resolve: ({ confirmationEmailId }, _args, ctx) => resolveCheck(confirmationEmailId, ctx),
  }),
}))

mutation('funnelConfirmationContentSet', {
  needs: 'funnels:write',
  description:
    'Sets the content of the confirmation e-mail of a funnel; absent fields stay as they are. A funnel without one gets it, with the subject of the message of the server. Visitors confirm with a link to `{{CONFIRM_URL}}`: without one, `Funnel.confirmationCheck` has an error, and the message of the server is sent. The e-mail is not tracked, has no unsubscribe link, and contains no data of the contact except the address.',
  input: (t) => ({ id: funnelId(t), ...emailBody(t), ...emailDetails(t) }),
  run: funnelEmails.set,
  lock: (tx, { id }) => lock(tx, id),
  outside: 'preparation',
  payload: (t) => ({
    funnel: t.expose('funnel', { type: FunnelType, description: 'The funnel after the change.' }),
    email: t.expose('email', { type: EmailType, description: 'The confirmation e-mail after the change.' }),
  }),
})

mutation('funnelConfirmationReset', {
  needs: 'funnels:write',
  description:
    'Deletes the confirmation e-mail of a funnel. The forms of its steps that have none of their own then use the message of the server. Idempotent.',
  input: (t) => ({ id: funnelId(t) }),
  run: funnelEmails.remove,
  payload: (t) => ({ funnel: t.expose('funnel', { type: FunnelType, description: 'The funnel after the change.' }) }),
})

mutation('funnelConfirmationTest', {
  needs: 'funnels:write',
  description: `Sends the confirmation e-mail of a funnel to up to five addresses immediately, as a test. Its link confirms nothing. ${testText} Returns INVALID_STATE if the funnel has no confirmation e-mail of its own.`,
  input: (t) => ({ id: funnelId(t), ...testAddresses(t) }),
  run: funnelEmails.sendTest,
  outside: 'effect',
  payload: (t) => ({
    funnel: t.expose('funnel', { type: FunnelType, description: 'The funnel whose e-mail was sent.' }),
    results: t.expose('results', { type: [TestMessageResult], nullable: true, ...resultsOptions }),
  }),
})
