/** The last word of a mutation's name, and what it says of the object. */
const verbs: Readonly<Record<string, string>> = {
  Add: 'added',
  Archive: 'archived',
  Cancel: 'cancelled',
  Complete: 'completed',
  Create: 'created',
  Delete: 'deleted',
  Disable: 'disabled',
  Duplicate: 'duplicated',
  End: 'ended',
  Erase: 'erased',
  Export: 'exported',
  Fail: 'failed',
  Invite: 'invited',
  Issue: 'issued',
  Merge: 'merged',
  Move: 'moved',
  Pause: 'paused',
  Pay: 'paid',
  Publish: 'published',
  Record: 'recorded',
  Refund: 'refunded',
  Remove: 'removed',
  Renew: 'renewed',
  Replay: 'sent again',
  Resend: 'sent again',
  Reset: 'removed',
  Restart: 'restarted',
  Start: 'started',
  Restore: 'restored',
  Resume: 'resumed',
  Revoke: 'ended',
  Save: 'saved',
  Schedule: 'scheduled',
  Send: 'sent',
  Set: 'changed',
  Test: 'tested',
  Unschedule: 'no longer scheduled',
  Update: 'changed',
  Upsert: 'created or changed',
  Verify: 'checked',
}

/** Names of mutations that are not an object and a verb. */
const others: Readonly<Record<string, string>> = {
  campaignSendUnknown: 'Uncertain messages of a campaign sent again',
  contactBulkTag: 'Contacts tagged',
  mediaUpload: 'Media file stored',
  contactFieldSet: 'Custom field of a contact changed',
  contactTagAdd: 'Tag added to a contact',
  contactTagRemove: 'Tag removed from a contact',
  contactFrequencySet: 'Frequency of messages to a contact changed',
  contactTopicJoin: 'Topic added to a contact',
  contactTopicLeave: 'Topic removed from a contact',
  contactUnsubscribe: 'Contact unsubscribed',
  contactsBulk: 'Contacts changed together',
  mediaCreate: 'Upload link of a media file created',
  sequenceEnrol: 'Contact added to a sequence',
  sequenceUnenrol: 'Contact removed from a sequence',
  sessionRevokeOthers: 'Other sessions ended',
}

const names: Readonly<Record<string, string>> = { api: 'API', dkim: 'DKIM', ids: '', id: '', url: 'URL', html: 'HTML' }

/** Returns the words of a name: `senderDomain` becomes "sender domain". */
function split(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ')
  return words
    .map((word) => names[word] ?? word)
    .filter(Boolean)
    .join(' ')
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Returns the English words of an entry of the audit log: `userInvite` becomes "User invited". The catalogue has them all. */
export function actionWords(action: string): string {
  const verb = /[A-Z][a-z]*$/.exec(action)?.[0] ?? ''
  const known = verbs[verb]
  return others[action] ?? capital(known ? `${split(action.slice(0, -verb.length))} ${known}` : split(action))
}

/** Returns the words of the path of a field: `contact.email` becomes "contact: email". */
export function pathWords(path: string): string {
  return path
    .split('.')
    .filter((part) => !/^\d+$/.test(part))
    .map((part) => split(part) || part)
    .join(': ')
}
