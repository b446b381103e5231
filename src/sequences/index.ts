export * as enrolmentList from './enrolment-list.ts'
export * as enrolments from './enrolments.ts'
export { sequenceExports } from './exports.ts'
export {
  fillPorts as fillSequencePorts,
  PermanentError,
  type Ports as SequencePorts,
  type WebhookCall,
} from './ports.ts'
export { advance, replanTimeoutMs, stagesOf } from './progress.ts'
export { continueEnrolments, newSequenceScheduler, type SequenceScheduler } from './scheduler.ts'
export * as sequences from './sequences.ts'
export type { StageAction } from './stage-action.ts'
export * as stages from './stages.ts'
export * as stageTestMessage from './test-message.ts'
