import type { System } from '../../db/context.ts'
import { missing } from '../../kernel/missing.ts'
import { portsMustBeFilled } from '../../kernel/ports.ts'
import { newPacing } from '../../kernel/work/pacing.ts'
import '../ports.ts'

/** Creates the dependencies of operations in a command: without a server, a secret, mail servers and clients. */
export function newCommandSystem({ db, log, clock }: Pick<System, 'db' | 'log' | 'clock'>): System {
  portsMustBeFilled()
  const command = 'A command'
  return {
    ...{ db, log, clock },
    // A command hears no notifications, so its work never pauses.
    pacing: newPacing({ share: 1 }),
    // URLs are paths.
    baseUrl: () => '',
    consoleUrl: () => '',
    // Servers also look for changes at intervals.
    notify: () => undefined,
    notifyLocal: () => undefined,
    signer: missing('signer', command),
    feed: missing('event feed', command),
    outbound: missing('access to other servers', command),
    payloads: missing('webhook payloads', command),
    services: {
      mail: {
        send: missing('mail server', command),
        forget: missing('mail server', command),
        returnPath: undefined,
        requiresVerifiedSenders: false,
        txtRecords: missing('DNS', command),
      },
      finance: {},
    },
  }
}
