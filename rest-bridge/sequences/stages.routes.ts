import * as z from 'zod'
import { deleted, one, requireNode, route } from '../envelope/route.ts'
import {
  SequenceStageContentSetDocument,
  SequenceStageCreateDocument,
  SequenceStageDeleteDocument,
  SequenceStageUpdateDocument,
} from '../generated/documents.ts'
import { flag, id, integer, nonEmptyText, text } from '../input/input.ts'
import { toGraphEnum } from '../values/enums.ts'
import { newStage, stage, stageTypes, toStage, toStageSummary, unitOf } from './sequence.ts'

const group = 'Sequences'

const stageName = nonEmptyText.meta({ maxLength: 255 })
const timeValue = integer(0, 50_000)
const timeType = z.literal([3_600, 86_400, 604_800], 'must be 3600 (hours), 86400 (days) or 604800 (weeks)')

const createStage = route('POST /v1/sequence-stage', SequenceStageCreateDocument, {
  id: 'STG-CREATE',
  scopes: ['sequences:write'],
  group,
  summary: 'Add a stage to the end of a sequence',
  description: 'The new stage is inactive. A `send_email` stage gets an empty e-mail.',
  status: 201,
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
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
      stageType: body.stage_type && toGraphEnum(body.stage_type),
      timeValue: body.time_value,
      timeType: unitOf[body.time_type ?? 0],
    },
  }),
  reply: one(newStage, ({ sequenceStageCreate }) => {
    const created = requireNode(sequenceStageCreate.stage)
    return { ...toStageSummary(created), sequence_id: created.sequence?.databaseId ?? 0 }
  }),
})

const updateStage = route('PUT /v1/sequence-stage', SequenceStageUpdateDocument, {
  id: 'STG-UPDATE',
  scopes: ['sequences:write'],
  group,
  summary: 'Update, move or activate a stage',
  description:
    'Updates only the fields that are sent. A `send_email` stage can be activated only if its e-mail has HTML and a subject. The change applies to contacts that are already in the sequence.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'stage',
  fieldNames: { id: 'stage_id' },
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
    const updated = requireNode(sequenceStageUpdate.stage)
    return { ...toStage(updated), sequence_id: updated.sequence?.databaseId ?? 0, updated: true as const }
  }),
})

const setStageContent = route('PUT /v1/sequence-stage-content', SequenceStageContentSetDocument, {
  id: 'STG-CONTENT',
  scopes: ['sequences:write'],
  group,
  summary: 'Set the e-mail of a stage',
  description:
    'The HTML is stored unchanged; `path_to_email` is its URL. The subject and sender keep their value if they are not sent.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'STAGE_NOT_EMAIL'],
  resource: 'stage',
  fieldNames: { id: 'stage_id' },
  body: z.object({
    stage_id: id,
    html: nonEmptyText,
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
      path_to_email: requireNode(email).htmlUrl ?? '',
    }),
  ),
})

const deleteStage = route('DELETE /v1/sequence-stage', SequenceStageDeleteDocument, {
  id: 'STG-DELETE',
  scopes: ['sequences:write'],
  group,
  summary: 'Delete a stage',
  description: 'The following stages move up. The change applies to contacts that are already in the sequence.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'stage',
  fieldNames: { id: 'stage_id' },
  body: z.object({ stage_id: id }),
  variables: ({ body }) => ({ input: { id: body.stage_id } }),
  reply: deleted,
})

/** Sequence stages, from the specification's table “Sequences”. */
export const stageRoutes = [createStage, updateStage, setStageContent, deleteStage]
