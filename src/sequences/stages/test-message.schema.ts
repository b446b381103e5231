import { requiredId } from '../../graphql/schema/descriptions.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { resultsOptions, TestMessageResult, testRecipients, testText } from '../../mail/emails/test-messages.schema.ts'
import { StageObject } from './stage.schema.ts'
import * as stageTestMessage from './test-message.ts'

mutation('sequenceStageTest', {
  needs: 'sequences:write',
  description: `Sends the e-mail of a stage to up to five addresses immediately, as a test. ${testText} Returns STAGE_NOT_EMAIL if the stage does not send an e-mail.`,
  input: (t) => ({ id: t.id(requiredId('the stage')), ...testRecipients(t) }),
  run: stageTestMessage.send,
  outside: 'effect',
  payload: (t) => ({
    stage: t.expose('stage', { type: StageObject, description: 'The stage whose e-mail was sent.' }),
    results: t.expose('results', { type: [TestMessageResult], nullable: true, ...resultsOptions }),
  }),
})
