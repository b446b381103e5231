import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idText, scopeText } from '../../graphql/schema/descriptions.ts'
import type { InputBuilder } from '../../graphql/schema/mutation.ts'
import * as testMessages from './test-messages.ts'

/** What descriptions of mutations that send tests have in common. */
export const testText = `Each address gets a message of its own, and no message is sent if one of the addresses is invalid or suppressed. The subject starts with \`[Test]\`, opens and clicks are not counted, and the unsubscribe link has no effect. If the mail server accepts none of the messages, the mutation fails: with VALIDATION_ERROR if it refused all addresses, or else with SERVER_ERROR. Maximum ${testMessages.maxTestMessagesPerDay} test messages a day for campaigns, sequence stages and confirmations together.`

/** The field of inputs with the addresses of a test. */
export const testAddresses = (t: InputBuilder) => ({
  emails: t.stringList({
    required: true,
    description: `The e-mail addresses to send the test to: 1 to ${testMessages.maxTestAddresses} different ones.`,
  }),
})

/** The fields of inputs that say for whom a test is, besides the message. */
export const testRecipients = (t: InputBuilder) => ({
  ...testAddresses(t),
  contactId: t.id({
    description: `${idText('the contact whose data fills the merge fields, for all addresses')} Defaults to a sample contact, which has the address that the message is sent to. ${scopeText('contacts:read')}`,
  }),
})

const TestMessageState = builder.enumType('TestMessageState', {
  description: 'What the mail server did with a test message.',
  values: {
    SENT: { description: 'It accepted the message.' },
    REFUSED: { description: 'It refused the message for good, for example because there is no such address.' },
    FAILED: { description: 'It was not reached, or it cannot accept the message now. The message was not sent.' },
    UNKNOWN: { description: 'It did not confirm the message, which may have been delivered.' },
  } satisfies Record<testMessages.TestState, { description: string }>,
})

export const TestMessageResult = builder.objectRef<testMessages.TestMessage>('TestMessageResult').implement({
  description: 'What became of a test message to one address.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The e-mail address, without white space at both ends.' }),
    state: t.expose('state', { type: TestMessageState, description: 'What the mail server did.' }),
    answer: t.string({
      nullable: true,
      description: 'Reply of the mail server, such as `250 OK`. Null if it did not accept the message.',
      resolve: ({ state, reply }) => (state === 'SENT' ? reply : null),
    }),
    error: t.string({
      nullable: true,
      description: 'Why the message was not accepted. Null if it was.',
      resolve: testMessages.errorOf,
    }),
  }),
})

/** The options of the results in a payload. */
export const resultsOptions = {
  description: 'What became of the message to each address, in the order of `emails`.',
  complexity: listCost('testMessages'),
}
