import type { Permission } from './sql.ts'

/** The tables of other modules that statements name. Every other one is read through the operations of its module. */
export const foreignTables: readonly Permission[] = [
  {
    reason: "The days of a filter begin in the account's time zone.",
    files: { 'src/db/zone.ts': ['account'] },
  },
  {
    reason: 'Soft bounces are counted by the settings of the account; problems are not stored for deleted accounts.',
    files: {
      'src/mail/failures/sender-problems.ts': ['account'],
      'src/mail/suppressions/soft-bounces.ts': ['account'],
    },
  },
  {
    reason: 'The statement that starts an attempt applies the rules of the account.',
    files: { 'src/mail/delivery/attempts/sending-rules.ts': ['account'] },
  },
  {
    reason: 'Every mutation writes the audit log, and the account shows it.',
    files: { 'src/account/audit-log/audit-log.ts': ['audit_entry'] },
  },
  {
    reason: 'The transaction of a change adds it to the figures, which are compared with the rows that they count.',
    files: {
      'src/db/figures/figure-parts.ts': ['figure_part_delta', 'figure_part_total'],
      'src/db/figures/figures.ts': ['figure_delta', 'figure_total'],
      'src/figures/facts.ts': [
        ...['billing_subscription', 'form', 'funnel_step', 'mail_recipient', 'order', 'sequence', 'submission'],
        ...['tag', 'visit'],
      ],
      'src/figures/check.ts': ['account', 'funnel'],
      'src/figures/revenue-series.ts': ['funnel_step', 'order', 'order_line'],
    },
  },
  {
    reason: 'An export joins each page with the rows that its columns show.',
    files: {
      'src/campaigns/exports.ts': ['email'],
      'src/forms/exports.ts': ['contact'],
      'src/mail/exports.ts': ['contact'],
      'src/sequences/exports.ts': ['contact'],
    },
  },
  {
    reason: 'A part of the export of a person names the objects of its rows.',
    files: { 'src/funnels/person-parts.ts': ['contact_claim', 'visitor'] },
  },
  {
    reason: 'The customer of a contact is the one with its address if it is linked to none.',
    files: { 'src/finance/erasure.ts': ['contact'] },
  },
  {
    reason: 'The database filters and counts the rows of an account, which may be too many to read.',
    files: {
      'src/campaigns/audience/audience.ts': ['contact'],
      'src/campaigns/definition/campaign-list.ts': ['email', 'reusable_block_use'],
      'src/forms/confirmation/confirmation-places.ts': ['reusable_block_use'],
      'src/funnels/opt-in/funnel-email-places.ts': ['reusable_block_use'],
      'src/funnels/statistics/people-counts.ts': ['order', 'submission'],
      'src/funnels/statistics/statistics.ts': ['order', 'submission'],
      'src/mail/recipients/recipients.ts': ['contact'],
      'src/mail/preferences/preferences.ts': ['account', 'contact', 'contact_consent', 'contact_preference'],
      'src/mail/suppressions/suppressions.ts': ['contact'],
      'src/sequences/enrolments/enrolment-list.ts': ['contact'],
      'src/sequences/stages/stage-emails.ts': ['reusable_block_use'],
    },
  },
  {
    reason: 'A contact is locked against deletion only, or many in the order of their ids, so that nothing deadlocks.',
    files: {
      'src/finance/customers/customers.ts': ['contact'],
      'src/forms/submissions/submission-contact.ts': ['contact'],
      'src/forms/summaries/summaries.ts': ['contact'],
      'src/funnels/visits/visits.ts': ['contact', 'visitor'],
      'src/mail/bounces/bounces.ts': ['account', 'contact'],
    },
  },
  {
    reason:
      'A job, a timeline, or a request of a visitor or a mail provider reads what it shows or decides on in one statement.',
    files: {
      'src/forms/visitors/identity.ts': ['contact'],
      'src/funnels/opt-in/confirmation-email.ts': ['contact'],
      'src/funnels/opt-in/confirmation-message.ts': ['form'],
      'src/funnels/opt-in/reminders.ts': ['account', 'contact'],
      'src/funnels/opt-in/confirmation.ts': ['account', 'contact', 'submission'],
      'src/funnels/page/published-page.ts': ['account', 'brand', 'form'],
      'src/funnels/page/submission.ts': ['order', 'submission'],
      'src/mail/delivery/attempts/delivery-attempts.ts': ['contact'],
      'src/mail/suppressions/suppressions.ts': ['contact'],
      'src/mail/timeline.ts': ['contact'],
      'src/mail/tracking/tracking.ts': ['contact'],
    },
  },
  {
    reason: 'The bodies of e-mails are documents, which are read with their e-mail.',
    files: {
      'src/mail/emails/emails.ts': ['document', 'reusable_block'],
      'src/mail/emails/recompilation.ts': ['document'],
      'src/mail/templates/account-templates.ts': ['document', 'reusable_block'],
      'src/mail/messages/email-templates.ts': ['document'],
    },
  },
  {
    reason: 'A process maintains the partitions of all tables that have some.',
    files: { 'src/server/processes/process-base.ts': ['mail_click', 'mail_open', 'visit'] },
  },
  {
    reason: 'The demonstration is loaded only if no account exists.',
    files: { 'src/demo/demo.ts': ['account'] },
  },
]
