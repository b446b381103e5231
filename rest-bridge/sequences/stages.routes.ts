import * as z from 'zod'
import {
  SequenceStageContentSetDocument,
  SequenceStageCreateDocument,
  SequenceStageDeleteDocument,
  SequenceStageUpdateDocument,
} from '../generated/documents.ts'
import { flag, id, integer, someText, text } from '../input.ts'
import { one, route, written } from '../route.ts'
import { newStage, stage, stageTypes, toPlaced, toStage, unitOf } from './sequence.ts'

const group = 'Sequences'

const stageName = someText.meta({ maxLength: 255 })
const timeValue = integer(0, 50_000)
const timeType = z.literal([3_600, 86_400, 604_800], 'must be 3600 (hours), 86400 (days) or 604800 (weeks)')

type GraphStageType = 'SEND_EMAIL' | 'SEND_SMS' | 'ACTION'

const createStage = route(SequenceStageCreateDocument, {
  id: 'STG-CREATE',
  method: 'POST',
  path: '/v1/sequence-stage',
  needs: ['sequences:write'],
  group,
  summary: 'Add a stage at the end of a sequence',
  description: 'The stage is inactive. One that sends an e-mail gets that e-mail, still empty.',
  status: 201,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  body: z.object({
    sequence_id: id,
    name: stageName.optional(),
    stage_type: z.enum(stageTypes, 'must be send_email, send_sms or action').optional(),
    time_value: timeValue.optional(),
    time_type: timeType.optional(),
  }),
  variables: ({ body }) => ({
    input: {
      sequenceId: body.sequence_id,
      name: body.name,
      stageType: body.stage_type?.toUpperCase() as GraphStageType | undefined,
      timeValue: body.time_value,
      timeType: unitOf[body.time_type ?? 0],
    },
  }),
  reply: one(newStage, ({ sequenceStageCreate }) => {
    const made = written(sequenceStageCreate.stage)
    return { ...toPlaced(made), sequence_id: made.sequence?.databaseId ?? 0 }
  }),
})

const updateStage = route(SequenceStageUpdateDocument, {
  id: 'STG-UPDATE',
  method: 'PUT',
  path: '/v1/sequence-stage',
  needs: ['sequences:write'],
  group,
  summary: 'Change a stage, move it or activate it',
  description:
    'Only the fields sent are updated. To be active, a stage that sends an e-mail must have HTML and a subject. Contacts that are in the sequence follow the change.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'stage',
  names: { id: 'stage_id' },
  body: z.object({
    stage_id: id,
    name: stageName.optional(),
    time_value: timeValue.optional(),
    time_type: timeType.optional(),
    step: integer(1, 500).optional(),
    active: flag.optional(),
  }),
  variables: ({ body }) => ({
    input: {
      id: body.stage_id,
      name: body.name,
      timeValue: body.time_value,
      timeType: unitOf[body.time_type ?? 0],
      step: body.step,
      active: body.active,
    },
  }),
  reply: one(stage.extend({ sequence_id: z.int(), updated: z.literal(true) }), ({ sequenceStageUpdate }) => {
    const changed = written(sequenceStageUpdate.stage)
    return { ...toStage(changed), sequence_id: changed.sequence?.databaseId ?? 0, updated: true as const }
  }),
})

const setStageContent = route(SequenceStageContentSetDocument, {
  id: 'STG-CONTENT',
  method: 'PUT',
  path: '/v1/sequence-stage-content',
  needs: ['sequences:write'],
  group,
  summary: 'Set the HTML of a stage that sends an e-mail',
  description:
    'The HTML is stored as it is; `path_to_email` is where it can be seen. Subject and sender stay where they are not sent.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'STAGE_NOT_EMAIL'],
  finds: 'stage',
  names: { id: 'stage_id' },
  body: z.object({
    stage_id: id,
    html: someText,
    subject: text.optional(),
    from_name: text.optional(),
    from_email: text.optional(),
  }),
  variables: ({ body }) => ({
    input: {
      id: body.stage_id,
      html: body.html,
      subject: body.subject,
      fromName: body.from_name,
      fromEmail: body.from_email,
    },
  }),
  reply: one(
    z.strictObject({ id: z.int(), email_id: z.int(), path_to_email: z.string() }),
    ({ sequenceStageContentSet: { stageDatabaseId, emailDatabaseId, email } }) => ({
      id: stageDatabaseId,
      email_id: emailDatabaseId,
      path_to_email: written(email).htmlUrl ?? '',
    }),
  ),
})

const deleteStage = route(SequenceStageDeleteDocument, {
  id: 'STG-DELETE',
  method: 'DELETE',
  path: '/v1/sequence-stage',
  needs: ['sequences:write'],
  group,
  summary: 'Delete a stage',
  description: 'Those behind it move up, and contacts that are in the sequence follow the change.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'stage',
  names: { id: 'stage_id' },
  body: z.object({ stage_id: id }),
  variables: ({ body }) => ({ input: { id: body.stage_id } }),
  reply: one(z.strictObject({ deleted: z.literal(true) }), () => ({ deleted: true as const })),
})

/** Stages of sequences, of the specification's table “Sequences”. */
export const stageRoutes = [createStage, updateStage, setStageContent, deleteStage]
