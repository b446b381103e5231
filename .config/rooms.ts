/**
 * The rooms of the large folders, from low to high: a room imports those before it. `base` are files of the folder itself that
 * stand below its rooms, and its other files stand above: no room imports them. Where '.' is a room, it is all files of the
 * folder itself.
 */
export const rooms: Readonly<Record<string, { readonly base?: readonly string[]; readonly rooms: readonly string[] }>> =
  {
    'src/kernel': {
      rooms: ['.', 'values', 'telemetry', 'work', 'texts', 'web'],
    },
    'src/db': {
      rooms: [
        'driver',
        'migrations',
        '.',
        'replicas',
        'figures',
        'filters',
        'lists',
        'upkeep',
        'requests',
        'persons',
        'jobs',
        'embedded',
      ],
    },
    'src/graphql': {
      rooms: ['cost', 'schema', 'documents', 'execution', 'streams', '.', 'transports'],
    },
    'src/events': {
      rooms: ['types', 'log', 'feed', 'live', 'outbound', 'webhooks', 'deliveries'],
    },
    'src/account': {
      base: ['events'],
      rooms: ['documents', 'accounts', 'sign-in', 'users', 'api-keys', 'admission', 'exports', 'audit-log'],
    },
    'src/contacts': {
      base: ['chunked-jobs', 'events', 'ports'],
      rooms: [
        'record',
        'consents',
        'tags',
        'topics',
        'custom-fields',
        'filters',
        'people',
        'segments',
        'imports/file',
        'imports/rows',
        'imports/apply',
        'imports',
        'bulk',
        'erasure',
        'timeline',
      ],
    },
    'src/content': {
      base: ['events', 'ports'],
      rooms: ['blocks', 'media', 'brand', 'reusable'],
    },
    'src/mail': {
      base: ['events', 'figures', 'outgoing-message', 'ports', 'services'],
      rooms: [
        'failures',
        'domains',
        'suppressions',
        'bodies',
        'compile',
        'templates/shipped',
        'templates',
        'messages',
        'emails',
        'checks',
        'notices',
        'stats',
        'tracking',
        'preferences',
        'recipients',
        'delivery/mime',
        'delivery/transport',
        'delivery/queue',
        'delivery/selection',
        'delivery/attempts',
        'delivery',
        'bounces',
      ],
    },
    'src/sequences': {
      base: ['events', 'ports'],
      rooms: ['planning', 'actions', 'definition', 'stages', 'enrolments', 'runner'],
    },
    'src/campaigns': {
      base: ['events'],
      rooms: ['audience', 'definition', 'checks', 'sending'],
    },
    'src/finance': {
      base: ['amounts', 'events', 'ports', 'services'],
      rooms: [
        'recording',
        'customers',
        'billing-profile',
        'orders',
        'subscriptions',
        'billing/pdf',
        'billing',
        'transactions',
        'sales',
      ],
    },
    'src/forms': {
      base: ['events', 'figures', 'ports'],
      rooms: [
        'form',
        'confirmation',
        'answers',
        'visitors',
        'sign-ups',
        'submissions',
        'statistics',
        'page/html',
        'page',
        'summaries',
      ],
    },
    'src/funnels': {
      base: ['events'],
      rooms: ['visits', 'funnel', 'html/styles', 'html/elements', 'html', 'content', 'opt-in', 'page', 'statistics'],
    },
    'src/server': {
      base: ['contact-relations', 'media-places', 'ports', 'schema'],
      rooms: ['console', 'processes', 'http', 'api'],
    },
    'src/console/blocks': {
      rooms: ['model', 'text', 'settings', 'canvas'],
    },
    'src/console/shared': {
      base: ['format'],
      rooms: ['layout', 'actions', 'forms', 'tables', 'figures'],
    },
    'rest-bridge': {
      rooms: [
        'generated',
        'gateway',
        'values',
        'errors',
        'input',
        'envelope',
        'account',
        'finance',
        'contacts',
        'sequences',
        'campaigns',
        'forms',
        'funnels',
        'events',
        'legacy',
      ],
    },
  }
