import { builder } from '../../graphql/schema/builder.ts'
import { requiredId } from '../../graphql/schema/descriptions.ts'
import { type InputBuilder, mutation } from '../../graphql/schema/mutation.ts'
import { reads } from '../../graphql/schema/row-fields.ts'
import { checkOptions, resolveCheck } from '../../mail/checks/confirmation-check.schema.ts'
import { EmailType, emailBody, emailDetails } from '../../mail/emails/email.schema.ts'
import { resultsOptions, TestMessageResult, testAddresses, testText } from '../../mail/emails/test-messages.schema.ts'
import { FormType } from '../form/form.schema.ts'
import { lock } from '../form/form-list.ts'
import * as confirmationEmails from './confirmation-emails.ts'

builder.objectFields(FormType, (t) => ({
  confirmationEmail: t.node('confirmationEmailId', {
    type: EmailType,
    description:
      'The e-mail that asks a visitor to confirm the address (`Account.doubleOptIn`). Null if the form has none of its own: that of its funnel is sent, or else a message of the server.',
  }),
  confirmationCheck: t.field({
    ...checkOptions,
    extensions: reads('confirmationEmailId'),
    resolve: ({ confirmationEmailId }, _args, ctx) => resolveCheck(confirmationEmailId, ctx),
  }),
}))

const formId = (t: InputBuilder) => t.id(requiredId('the form'))

mutation('formConfirmationContentSet', {
  needs: 'forms:write',
  description:
    'Sets the content of the confirmation e-mail of a form; absent fields stay as they are. A form without one gets it, with the subject of the message of the server. Visitors confirm with a link to `{{CONFIRM_URL}}`: without one, `Form.confirmationCheck` has an error, and the message of the server is sent. The e-mail is not tracked, has no unsubscribe link, and contains no data of the contact except the address.',
  input: (t) => ({ id: formId(t), ...emailBody(t), ...emailDetails(t) }),
  run: confirmationEmails.set,
  lock: (tx, { id }) => lock(tx, id),
  outside: 'preparation',
  payload: (t) => ({
    form: t.expose('form', { type: FormType, description: 'The form after the change.' }),
    email: t.expose('email', { type: EmailType, description: 'The confirmation e-mail after the change.' }),
  }),
})

mutation('formConfirmationReset', {
  needs: 'forms:write',
  description:
    'Deletes the confirmation e-mail of a form, which then uses that of its funnel, or else the message of the server. Idempotent.',
  input: (t) => ({ id: formId(t) }),
  run: confirmationEmails.remove,
  payload: (t) => ({ form: t.expose('form', { type: FormType, description: 'The form after the change.' }) }),
})

mutation('formConfirmationTest', {
  needs: 'forms:write',
  description: `Sends the confirmation e-mail of a form to up to five addresses immediately, as a test. Its link confirms nothing. ${testText} Returns INVALID_STATE if the form has no confirmation e-mail of its own.`,
  input: (t) => ({ id: formId(t), ...testAddresses(t) }),
  run: confirmationEmails.sendTest,
  outside: 'effect',
  payload: (t) => ({
    form: t.expose('form', { type: FormType, description: 'The form whose e-mail was sent.' }),
    results: t.expose('results', { type: [TestMessageResult], nullable: true, ...resultsOptions }),
  }),
})
