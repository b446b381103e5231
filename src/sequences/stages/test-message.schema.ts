import { idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { testMessages } from '../../mail/index.ts'
import { StageObject } from './stage.schema.ts'
import * as stageTestMessage from './test-message.ts'

mutation('sequenceStageTest', {
  needs: 'sequences:write',
  description: `Sends the e-mail of a stage to one address immediately, as a test. Its subject starts with \`[Test]\`, its opens and clicks are not counted, and its unsubscribe link has no effect. Maximum ${testMessages.maxTestMessagesPerDay} tests a day for campaigns and sequence stages together. Returns STAGE_NOT_EMAIL if the stage does not send an e-mail.`,
  input: (t) => ({
    id: t.id(requiredId('the stage')),
    email: t.string({ required: true, description: 'The e-mail address to send the test to.' }),
    contactId: t.id({
      description: `${idText('the contact whose data fills the merge fields')} Defaults to a sample contact. ${scopeText('contacts:read')}`,
    }),
  }),
  run: stageTestMessage.send,
  outside: 'effect',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage whose e-mail was sent.' }),
    answer: t.exposeString('answer', { description: 'Reply of the mail server, such as `250 OK`.' }),
  }),
})
