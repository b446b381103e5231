import { type ForeignAccess, type Parties, refs, refusedMutation } from './foreign.ts'

/** Access to forms, submissions and funnels of another account. */
export function listForeignFormAccess(parties: Parties): Record<string, readonly ForeignAccess[]> {
  const { foreign, form, own } = parties
  return {
    form: [{ names: ['id'], args: { id: form(foreign.form) }, select: 'id', comes: null }],
    submission: [{ names: ['id'], args: { id: form(foreign.submission) }, select: 'id', comes: null }],
    formCreate: [
      refusedMutation(
        ['input.questions.customFieldId'],
        { name: 'x', questions: [{ label: 'x', type: 'HIDDEN', customFieldId: form(foreign.customField) }] },
        'form { id }',
      ),
    ],
    formUpdate: [refusedMutation(['input.id'], { id: form(foreign.form), name: 'stolen' }, 'form { id }')],
    formPublish: [refusedMutation(['input.id'], { id: form(foreign.draft) }, 'form { id }')],
    formDuplicate: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formRestore: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formOutcomeMove: [refusedMutation(['input.id'], { id: form(foreign.outcome), position: 1 }, 'outcome { id }')],
    formArchive: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formConfirmationContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.form), html: 'stolen' }, 'form { id }'),
      refusedMutation(
        ['input.templateId'],
        { id: form(own.form), templateId: form(foreign.emailTemplate) },
        'form { id }',
      ),
    ],
    formConfirmationReset: [refusedMutation(['input.id'], { id: form(foreign.form) }, 'form { id }')],
    formConfirmationTest: [
      refusedMutation(['input.id'], { id: form(foreign.form), emails: ['me@example.com'] }, 'results { answer }'),
    ],
    formQuestionCreate: [
      refusedMutation(['input.formId'], { formId: form(foreign.form), label: 'x', type: 'DATE' }, 'question { id }'),
      refusedMutation(
        ['input.customFieldId'],
        { formId: form(own.form), label: 'x', type: 'DATE', customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    formQuestionUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.question), label: 'stolen' }, 'question { id }'),
      refusedMutation(
        ['input.customFieldId'],
        { id: form(own.question), customFieldId: form(foreign.customField) },
        'question { id }',
      ),
    ],
    formQuestionMove: [refusedMutation(['input.id'], { id: form(foreign.question), position: 2 }, 'question { id }')],
    formQuestionDelete: [refusedMutation(['input.id'], { id: form(foreign.question) }, 'deletedQuestionId')],
    formOutcomeCreate: [
      refusedMutation(
        ['input.formId'],
        { formId: form(foreign.form), key: 'x', title: 'x', bucket: 'HOT' },
        'outcome { id }',
      ),
    ],
    formOutcomeUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.outcome), title: 'stolen' }, 'outcome { id }'),
    ],
    formOutcomeDelete: [refusedMutation(['input.id'], { id: form(foreign.outcome) }, 'deletedOutcomeId')],
    submissionSave: [
      refusedMutation(['input.formId'], { formId: form(foreign.form) }, 'submission { id }'),
      refusedMutation(['input.id'], { formId: form(own.form), id: form(foreign.submission) }, 'submission { id }'),
      refusedMutation(
        ['input.answers.questionId'],
        { formId: form(own.form), answers: [{ questionId: form(foreign.question), value: 'yes' }] },
        'submission { id }',
      ),
      ...refs(parties, { formId: form(own.form) }, 'submission { id }'),
    ],
    funnel: [{ names: ['id'], args: { id: form(foreign.funnel) }, select: 'id', comes: null }],
    funnelStep: [{ names: ['id'], args: { id: form(foreign.step) }, select: 'id', comes: null }],
    funnelUpdate: [refusedMutation(['input.id'], { id: form(foreign.funnel), name: 'stolen' }, 'funnel { id }')],
    funnelConfirmationContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.funnel), html: 'stolen' }, 'funnel { id }'),
      refusedMutation(
        ['input.templateId'],
        { id: form(own.funnel), templateId: form(foreign.emailTemplate) },
        'funnel { id }',
      ),
    ],
    funnelConfirmationReset: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelConfirmationTest: [
      refusedMutation(['input.id'], { id: form(foreign.funnel), emails: ['me@example.com'] }, 'results { answer }'),
    ],
    funnelArchive: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelRestore: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelDuplicate: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'funnel { id }')],
    funnelDelete: [refusedMutation(['input.id'], { id: form(foreign.funnel) }, 'deletedFunnelId')],
    funnelStepCreate: [
      refusedMutation(['input.funnelId'], { funnelId: form(foreign.funnel), name: 'x' }, 'step { id }'),
      refusedMutation(
        ['input.formId'],
        { funnelId: form(own.funnel), name: 'x', formId: form(foreign.form) },
        'step { id }',
      ),
    ],
    funnelStepUpdate: [
      refusedMutation(['input.id'], { id: form(foreign.step), name: 'stolen' }, 'step { id }'),
      refusedMutation(['input.formId'], { id: form(own.step), formId: form(foreign.form) }, 'step { id }'),
      refusedMutation(['input.tagIds'], { id: form(own.step), tagIds: [form(foreign.tag)] }, 'step { id }'),
      refusedMutation(
        ['input.sequenceIds'],
        { id: form(own.step), sequenceIds: [form(foreign.sequence)] },
        'step { id }',
      ),
    ],
    funnelStepMove: [refusedMutation(['input.id'], { id: form(foreign.step), position: 1 }, 'step { id }')],
    funnelStepDelete: [refusedMutation(['input.id'], { id: form(foreign.step) }, 'deletedFunnelStepId')],
    funnelStepContentSet: [
      refusedMutation(['input.id'], { id: form(foreign.step), content: { version: 1, root: [] } }, 'step { id }'),
    ],
    funnelStepPublish: [refusedMutation(['input.id'], { id: form(foreign.step) }, 'step { id }')],
    visitRecord: [
      refusedMutation(['input.stepId'], { stepId: form(foreign.step), visitorId: 'x' }, 'counted'),
      ...refs(parties, { stepId: form(own.step), visitorId: 'x' }, 'counted'),
    ],
  }
}
