/** Statements of all accounts that share a reason, and what becomes of them on a sharded database. */
export interface CrossAccount {
  readonly reason: string
  readonly sharded: string
  /** The index that serves each statement by file and function, or `none: why`. */
  readonly statements: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const coordinator = 'unchanged: its tables are local, on the coordinator'
const allNodes = 'asks all nodes'
const nodeByNode = 'must run node by node: rows are locked, or found by `ctid` or a recursion'

/**
 * All statements that are not bound to an account, reviewed: those of `$unscoped`, of the raw queries of the Prisma client, and
 * of connections of their own. growth.md shows this list.
 */
export const crossAccount: readonly CrossAccount[] = [
  {
    reason: 'settings, transactions, notifications and names of partitions',
    sharded: 'unchanged: no rows are read',
    statements: {
      'src/db/jobs/listen.ts': { hint: 'none: NOTIFY' },
      'src/db/plans.ts': { planInIndexOrder: 'none: settings', 'planInIndexOrder 2': 'none: settings' },
      'src/db/transaction.ts': {
        inTransaction: 'none: a setting',
        inSavepoint: 'none: a savepoint',
        'inSavepoint 2': 'none: a savepoint',
        'inSavepoint 3': 'none: a savepoint',
        inSnapshot: 'none: a setting',
        'inSnapshot 2': 'none: a setting',
      },
      'src/db/zone.ts': { readZones: 'none: time zones of PostgreSQL' },
      'src/events/live/live-list.ts': { readLastEventId: 'none: the value of a sequence' },
      'src/funnels/visits/visit-expiry.ts': { expireBatch: 'none: a setting' },
      'src/funnels/visits/visit-removal.ts': { partitionsFrom: 'none: names of partitions' },
    },
  },
  {
    reason: 'statistics of tables, pending lists of indexes',
    sharded: 'must run on each node',
    statements: {
      'src/db/upkeep/pending-lists.ts': { emptyPendingLists: 'none: the catalog' },
      'src/db/upkeep/statistics.ts': {
        analyseGrown: 'none: the catalog',
        'analyseGrown 2': 'none: ANALYZE reads a sample',
      },
    },
  },
  {
    reason: 'the queue of jobs, leases of processes',
    sharded: coordinator,
    statements: {
      'src/db/jobs/heartbeat.ts': {
        sendHeartbeat: 'job_worker_pkey',
        'sendHeartbeat 2': 'job_worker_pkey',
        'sendHeartbeat 3': 'none: a row for each worker',
      },
      'src/db/jobs/jobs.ts': { enqueue: 'none: an insert' },
      'src/mail/delivery/queue/worker-leases.ts': {
        registerWorker: 'none: an insert',
        renewLease: 'mail_worker_pkey',
        unregisterWorker: 'mail_worker_pkey',
        releaseExpiredClaims: 'none: a row for each worker',
      },
      'src/mail/delivery/render-marks.ts': {
        newRenderMarks: 'mail_worker_pkey',
        findUndecided: 'none: a row for each worker',
      },
    },
  },
  {
    reason: 'the key, the session, the link or the address of a user identifies the account',
    sharded: coordinator,
    statements: {
      'src/account/api-keys/api-keys.ts': {
        disableAny: 'none: a command of an operator',
        findHolder: 'api_key_hash_key',
      },
      'src/account/admission/holders.ts': { findActive: 'api_key_pkey, session_pkey' },
      'src/account/sign-in/sessions.ts': { findSession: 'session_hash_key' },
      'src/account/sign-in/sign-in-links.ts': { findUsers: 'user_address_idx', find: 'sign_in_link_hash_key' },
    },
  },
  {
    reason: 'the address of a page or a form identifies the account',
    sharded: `${allNodes}, until the account is found by a statement of its own`,
    statements: {
      'src/forms/page/published-form.ts': { findPublishedForm: 'form_id_idx' },
      'src/funnels/page/published-page.ts': {
        findPublishedPage: 'account_subdomain_key, funnel_step_account_id_funnel_id_path_key',
        findFirstPath: 'account_subdomain_key, funnel_step_account_id_funnel_id_position_idx',
      },
    },
  },
  {
    reason: 'a report of a bounce that names no message',
    sharded: allNodes,
    statements: {
      'src/mail/bounces/bounces.ts': { lastMessageTo: 'contact_account_id_address_key' },
    },
  },
  {
    reason: 'reports of bounces that were used',
    sharded: coordinator,
    statements: {
      'src/mail/bounces/used-reports.ts': {
        findUse: 'used_report_pkey',
        claimReport: 'used_report_pkey',
        releaseReport: 'used_report_pkey',
        markReportUsed: 'none: an insert',
      },
    },
  },
  {
    reason: 'returned messages that could not be read',
    sharded: coordinator,
    statements: {
      'src/mail/bounces/unread-reports.ts': {
        keepUnread: 'none: an insert',
        'keepUnread 2': 'unread_report_pkey',
        listUnread: 'unread_report_pkey',
        findUnread: 'unread_report_pkey',
      },
      'src/mail/erasure.ts': { run: 'none: at most 1,000 rows' },
    },
  },
  {
    reason: 'the domains that refused messages lately, of the accounts of a worker',
    sharded: allNodes,
    statements: {
      'src/mail/failures/sender-problems.ts': { slowDomains: 'sender_problem_last_at_idx' },
      'src/mail/delivery/selection/sender-problem-watch.ts': { newSenderProblemWatch: 'none: an insert' },
    },
  },
  {
    reason: 'the order of the events of all accounts',
    sharded: coordinator,
    statements: {
      'src/events/erasure.ts': { change: 'log_reader_pkey' },
      'src/events/feed/feed.ts': {
        logEnds: 'none: one row',
        eventsBetween: 'outbox_event_account_id_position_idx',
      },
      'src/events/log/reactions.ts': {
        endReactions: 'parked_event_reader_due_at_idx',
        processNext: 'none: one row',
        'processNext 2': 'outbox_event_position_idx',
        isBlocked: 'parked_event_pkey',
        insertWaiting: 'none: an insert',
        retryOnce: 'parked_event_pkey',
        'retryOnce 2': 'parked_event_pkey',
        lockDue: 'parked_event_reader_due_at_idx, parked_event_pkey',
      },
      'src/events/log/readers.ts': {
        addReader: 'none: one row',
        removeReader: 'log_reader_pkey',
        readOnce: 'outbox_event_position_idx',
        lockPosition: 'log_reader_pkey',
        storePosition: 'log_reader_pkey',
      },
      'src/events/log/retention.ts': {
        mayDrop: 'none: one row',
        'mayDrop 2': 'outbox_event_unstamped_idx, outbox_event_position_idx',
        'mayDrop 3': 'none: one row',
      },
      'src/events/log/sequencer.ts': {
        oldestUnstamped: 'outbox_event_unstamped_idx',
        lockCounter: 'none: one row',
        pass: 'outbox_event_unstamped_idx, outbox_event_pkey',
      },
    },
  },
  {
    reason: 'webhooks of new events',
    sharded: 'joins events on the coordinator with webhooks of all nodes, and inserts into them',
    statements: {
      'src/events/deliveries/fan-out.ts': { read: 'outbox_event_position_idx, webhook_account_id_url_key' },
    },
  },
  {
    reason: 'due campaigns, queues and domains, segments to count, and the length of a queue',
    sharded: `${allNodes}; then one account after another`,
    statements: {
      'src/campaigns/sending/scheduler.ts': { startDueCampaigns: 'campaign_due_idx' },
      'src/contacts/segments/segment-sizes.ts': { measureSegments: 'segment_pkey' },
      'src/events/deliveries/retention.ts': {
        countDeliveries: 'webhook_delivery_pending_idx',
      },
      'src/figures/check.ts': { checkFigures: 'account_pkey' },
      'src/mail/delivery/queue/claims.ts': { listDueSources: 'mail_source_due_idx' },
      'src/mail/delivery/queue/stalled-sources.ts': {
        markStalledSources: 'mail_source_due_idx',
        clearStalledSources: 'none: a row for each campaign and account',
        stopStalledCampaigns: 'mail_source_due_idx',
      },
      'src/mail/domains/sender-domain-checks.ts': { checkDueSenderDomains: 'sender_domain_checked_at_idx' },
    },
  },
  {
    reason: 'due enrolments, deliveries and reminders, and messages of a process that ended',
    sharded: nodeByNode,
    statements: {
      'src/events/deliveries/delivery-queue.ts': { claimDeliveries: 'webhook_delivery_pending_idx, webhook_pkey' },
      'src/funnels/opt-in/reminders.ts': { enqueueReminders: 'confirmation_due_idx' },
      'src/mail/delivery/queue/worker-leases.ts': {
        countEndedRenderings: 'email_pkey',
        'releaseExpiredClaims 2': 'mail_recipient_busy_idx',
      },
      'src/sequences/runner/scheduler.ts': { accountsWithDue: 'enrolment_due_idx' },
    },
  },
  {
    reason: 'results of the messages of a worker, which name their accounts',
    sharded: 'one statement for each account',
    statements: {
      'src/mail/delivery/attempts/dispatcher.ts': { recordBatch: 'mail_recipient_pkey' },
      'src/mail/delivery/attempts/outcome-handler.ts': { recordBounce: 'mail_recipient_pkey' },
    },
  },
  {
    reason: 'figures: totals of changes, and rows that are not counted yet',
    sharded: nodeByNode,
    statements: {
      'src/figures/compaction.ts': {
        compactFigures: 'figure_delta_pkey, figure_part_delta_pkey',
        'compactFigures 2': 'figure_part_total_zero_idx',
      },
      'src/funnels/visits/visitor-parts.ts': {
        countVisitors: 'uncounted_visit_pkey, step_visitor_pkey',
        lockVisitors: 'none: a lock',
      },
    },
  },
  {
    reason: 'retention',
    sharded: nodeByNode,
    statements: {
      'src/contacts/imports/retention.ts': { removeOldImports: 'contact_import_created_at_idx' },
      'src/content/media/retention.ts': { removeObjects: 'media_removal_due_at_idx' },
      'src/db/upkeep/retention.ts': { removeOld: 'none: each table has an index by the time, which a test checks' },
      'src/events/deliveries/retention.ts': {
        forgetOldDeliveries: 'webhook_delivery_account_id_webhook_id_created_at_id_idx, webhook_pkey',
      },
      'src/funnels/visits/visit-expiry.ts': {
        funnelsIn: 'none: an index that the partition has while its rows expire',
      },
    },
  },
  {
    reason: 'the demonstration is loaded only if no account exists',
    sharded: 'unchanged: a reference table',
    statements: { 'src/demo/demo.ts': { isEmpty: 'none: one row' } },
  },
]

/** Returns the indexes of an entry. */
export function indexesOf(entry: string): string[] {
  return entry.startsWith('none: ') ? [] : entry.split(', ')
}

/** Returns the list as the rows of a table for growth.md. */
export function tableRows(): string[] {
  return crossAccount.map(({ reason, sharded, statements }) => {
    const places = Object.entries(statements)
    const files = places.map(([path]) => `\`${path.replace(/^src\/(.*)\.ts$/, '$1')}\``)
    const indexes = places.flatMap(([, all]) => Object.values(all).flatMap(indexesOf)).map((name) => `\`${name}\``)
    return `| ${reason} | ${files.join(', ')} | ${[...new Set(indexes)].join(', ') || 'none'} | ${sharded} |`
  })
}
