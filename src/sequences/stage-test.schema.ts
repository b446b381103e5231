import { asOfNow, mutation } from '../graphql/mutation.ts'
import { samples } from '../mail/index.ts'
import { stages, stageTesting } from './index.ts'
import { StageObject } from './stage.schema.ts'

mutation('sequenceStageTest', {
  needs: 'sequences:write',
  description: `Sends the e-mail of a stage to one address at once, to be looked at: \`[Test]\` stands before its subject, nothing is counted, and its unsubscribe link unsubscribes nobody. ${samples.mostTestsADay} a day at most, campaigns among them. Fails with STAGE_NOT_EMAIL for a stage that sends none.`,
  input: (t) => ({
    id: t.id({ required: true, description: 'The stage, by global id or integer.' }),
    email: t.string({ required: true, description: 'Whom to send it to.' }),
    contactId: t.id({
      description:
        'As whom to write it, by global id or integer; someone made up where absent. Takes the scope `contacts:read`.',
    }),
  }),
  run: stageTesting.test,
  timeoutMs: samples.longestTest,
  payload: (t) => ({
    stage: t.field({
      type: StageObject,
      description: 'The stage.',
      resolve: asOfNow(stages.byId, ({ stage }) => stage),
    }),
    answer: t.exposeString('answer', { description: 'What the mail server said.' }),
  }),
})
