import { expect } from 'vitest'
import type { Announcement } from './mutations.ts'

/** The events of mutations of orders, invoices, forms and funnels. */
export const salesAnnouncements: Readonly<Record<string, Announcement>> = {
  orderRecord: {
    input: () => ({ idOrder: 'new', status: 'COMPLETED', amount: '1', customer: { email: 'ada@example.com' } }),
    select: 'order { id }',
    events: () => [
      ['order.created', { orderId: expect.any(Number) }],
      ['order.completed', { orderId: expect.any(Number) }],
    ],
  },
  orderComplete: {
    input: ({ order }) => ({ id: order }),
    select: 'order { id }',
    events: ({ order }) => [['order.completed', { orderId: order }]],
  },
  orderCancel: {
    input: ({ order }) => ({ id: order }),
    select: 'order { id }',
    events: ({ order }) => [['order.cancelled', { orderId: order }]],
  },
  orderRefund: {
    input: ({ paid }) => ({ id: paid }),
    select: 'order { id }',
    events: ({ paid }) => [['order.refunded', { orderId: paid }]],
  },
  transactionRecord: {
    input: ({ order, invoice, plan }) => ({
      idTransaction: 'new',
      orderId: order,
      invoiceId: invoice,
      subscriptionId: plan,
      amount: '12.00',
      status: 'COMPLETED',
    }),
    select: 'transaction { id }',
    events: ({ invoice }) => [
      ['invoice.paid', { invoiceId: invoice }],
      ['transaction.created', { transactionId: expect.any(Number) }],
      ['transaction.completed', { transactionId: expect.any(Number) }],
    ],
  },
  transactionUpdate: {
    input: ({ payment }) => ({ id: payment, status: 'ERROR' }),
    select: 'transaction { id }',
    events: ({ payment }) => [['transaction.error', { transactionId: payment }]],
  },
  invoiceIssue: {
    input: ({ order }) => ({ orderId: order }),
    select: 'invoice { id }',
    events: () => [['invoice.created', { invoiceId: expect.any(Number) }]],
  },
  invoicePay: {
    input: ({ invoice }) => ({ id: invoice }),
    select: 'invoice { id }',
    events: ({ invoice }) => [['invoice.paid', { invoiceId: invoice }]],
  },
  creditNoteIssue: {
    input: ({ invoice }) => ({ invoiceId: invoice, amount: '6' }),
    select: 'creditNote { id }',
    events: () => [['credit_note.created', { creditNoteId: expect.any(Number) }]],
  },
  subscriptionRecord: {
    input: () => ({ idSubscription: 'new', name: 'New', amount: '1', customer: { email: 'ada@example.com' } }),
    select: 'subscription { id }',
    events: () => [['subscription.created', { subscriptionId: expect.any(Number) }]],
  },
  subscriptionRenew: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.renewed', { subscriptionId: plan }]],
  },
  subscriptionFail: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.payment_failed', { subscriptionId: plan }]],
  },
  subscriptionEnd: {
    input: ({ plan }) => ({ id: plan }),
    select: 'subscription { id }',
    events: ({ plan }) => [['subscription.ended', { subscriptionId: plan }]],
  },
  subscriptionRestart: { input: ({ lapsed }) => ({ id: lapsed }), select: 'subscription { id }', events: () => [] },
  formCreate: {
    input: () => ({ name: 'new', questions: [{ label: 'new', type: 'DATE' }] }),
    select: 'form { id }',
    events: () => [['form.created', { formId: expect.any(Number) }]],
  },
  formUpdate: {
    input: ({ form }) => ({ id: form, name: 'renamed' }),
    select: 'form { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formRestore: { input: ({ form }) => ({ id: form }), select: 'form { id }', events: () => [] },
  formOutcomeMove: {
    input: ({ outcome }) => ({ id: outcome, position: 1 }),
    select: 'outcome { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formPublish: {
    input: ({ draft }) => ({ id: draft }),
    select: 'form { id }',
    events: ({ draft }) => [['form.updated', { formId: draft }]],
  },
  formArchive: {
    input: ({ form }) => ({ id: form }),
    select: 'form { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formDuplicate: {
    input: ({ form }) => ({ id: form }),
    select: 'form { id }',
    events: () => [['form.created', { formId: expect.any(Number) }]],
  },
  formConfirmationContentSet: {
    input: ({ form }) => ({ id: form, html: '<p>{{CONFIRM_URL}}</p>' }),
    select: 'email { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formConfirmationReset: {
    input: ({ form }) => ({ id: form }),
    select: 'form { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formConfirmationTest: {
    input: ({ form }) => ({ id: form, emails: ['me@example.com'] }),
    select: 'results { answer }',
    events: () => [],
  },
  formQuestionCreate: {
    input: ({ form }) => ({ formId: form, label: 'new', type: 'DATE', position: 1 }),
    select: 'question { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formQuestionUpdate: {
    input: ({ question }) => ({ id: question, label: 'renamed' }),
    select: 'question { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formQuestionMove: {
    input: ({ question }) => ({ id: question, position: 2 }),
    select: 'question { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formQuestionDelete: {
    input: ({ question }) => ({ id: question }),
    select: 'deletedQuestionId',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formOutcomeCreate: {
    input: ({ form }) => ({ formId: form, key: 'new', title: 'new', bucket: 'HOT' }),
    select: 'outcome { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formOutcomeUpdate: {
    input: ({ outcome }) => ({ id: outcome, title: 'renamed' }),
    select: 'outcome { id }',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  formOutcomeDelete: {
    input: ({ outcome }) => ({ id: outcome }),
    select: 'deletedOutcomeId',
    events: ({ form }) => [['form.updated', { formId: form }]],
  },
  submissionSave: {
    input: ({ form, question, submission }) => ({
      formId: form,
      id: submission,
      answers: [{ questionId: question, value: 'yes' }],
      complete: true,
    }),
    select: 'submission { id }',
    events: ({ form, submission }) => [
      ['form_submission.completed', { formId: form, submissionId: submission, status: 'COMPLETED', bucket: 'COLD' }],
    ],
  },
  funnelCreate: {
    input: () => ({ name: 'new' }),
    select: 'funnel { id }',
    events: () => [['funnel.created', { funnelId: expect.any(Number) }]],
  },
  funnelUpdate: {
    input: ({ funnel }) => ({ id: funnel, name: 'renamed' }),
    select: 'funnel { id }',
    events: ({ funnel }) => [['funnel.updated', { funnelId: funnel }]],
  },
  funnelConfirmationContentSet: {
    input: ({ funnel }) => ({ id: funnel, html: '<p>{{CONFIRM_URL}}</p>' }),
    select: 'email { id }',
    events: ({ funnel }) => [['funnel.updated', { funnelId: funnel }]],
  },
  funnelConfirmationReset: {
    input: ({ funnel }) => ({ id: funnel }),
    select: 'funnel { id }',
    events: ({ funnel }) => [['funnel.updated', { funnelId: funnel }]],
  },
  funnelConfirmationTest: {
    input: ({ funnel }) => ({ id: funnel, emails: ['me@example.com'] }),
    select: 'results { answer }',
    events: () => [],
  },
  funnelArchive: {
    input: ({ funnel }) => ({ id: funnel }),
    select: 'funnel { id }',
    events: ({ funnel }) => [['funnel.updated', { funnelId: funnel }]],
  },
  funnelRestore: { input: ({ funnel }) => ({ id: funnel }), select: 'funnel { id }', events: () => [] },
  funnelDuplicate: {
    input: ({ funnel }) => ({ id: funnel }),
    select: 'funnel { id }',
    events: () => [
      ['form.created', { formId: expect.any(Number) }],
      ['funnel.created', { funnelId: expect.any(Number) }],
    ],
  },
  funnelDelete: {
    input: ({ funnel }) => ({ id: funnel }),
    select: 'deletedFunnelId',
    events: ({ funnel }) => [
      ['funnel.deleted', { funnelId: funnel }],
      ['form.deleted', { formId: expect.any(Number) }],
    ],
  },
  funnelStepCreate: {
    input: ({ funnel }) => ({ funnelId: funnel, name: 'new' }),
    select: 'step { id }',
    events: ({ funnel }) => [
      ['form.created', { formId: expect.any(Number) }],
      ['funnel_step.created', { stepId: expect.any(Number), funnelId: funnel }],
    ],
  },
  funnelStepUpdate: {
    input: ({ step, tag, sequence }) => ({ id: step, path: 'new', tagIds: [tag], sequenceIds: [sequence] }),
    select: 'step { id }',
    events: ({ step, funnel }) => [['funnel_step.updated', { stepId: step, funnelId: funnel }]],
  },
  funnelStepMove: {
    input: ({ step }) => ({ id: step, position: 1 }),
    select: 'step { id }',
    events: ({ step, funnel }) => [['funnel_step.updated', { stepId: step, funnelId: funnel }]],
  },
  funnelStepDelete: {
    input: ({ step }) => ({ id: step }),
    select: 'deletedFunnelStepId',
    events: ({ step, funnel }) => [
      ['funnel_step.deleted', { stepId: step, funnelId: funnel }],
      ['form.deleted', { formId: expect.any(Number) }],
    ],
  },
  funnelStepContentSet: {
    input: ({ step }) => ({ id: step, content: { version: 1, root: [] }, title: 'New' }),
    select: 'version',
    events: ({ step, funnel }) => [['funnel_step.updated', { stepId: step, funnelId: funnel }]],
  },
  funnelStepPublish: {
    input: ({ step }) => ({ id: step }),
    select: 'step { id }',
    events: ({ step, funnel }) => [['funnel_step.updated', { stepId: step, funnelId: funnel }]],
  },
  // Visits of public pages are announced together, once a minute.
  visitRecord: {
    input: ({ step, contact }) => ({ stepId: step, visitorId: 'x', contact: { id: contact } }),
    select: 'counted',
    events: () => [],
  },
  billingProfileUpdate: {
    input: () => ({ companyName: 'New' }),
    select: 'billingProfile { companyName }',
    events: () => [['billing_profile.updated', { accountId: expect.any(Number) }]],
  },
}
