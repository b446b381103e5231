/** What a migration means to processes of the last release that still serve requests. */
interface Review {
  /** Whether their requests succeed. If not, `src/docs/deployment.md` describes the upgrade. */
  readonly rolls: boolean
  readonly why: string
}

const rolls = (why: string): Review => ({ rolls: true, why })
const stops = (why: string): Review => ({ rolls: false, why })

/** The migrations since the last release that do more than add to the schema. */
export const reviewedMigrations: Readonly<Record<string, Review>> = {
  '20261122020000_scopes': stops(
    'Keys without scopes get the scope full_access, which the last release does not have: it rejects their requests.',
  ),
  '20261122050000_customers_of_contacts': rolls('The last release links customers and contacts too.'),
  '20261122080000_deleted_contacts': rolls(
    `A contact that the last release deletes leaves its messages, enrolments and submissions. Writes to messages and visits wait while
    the foreign key is checked and the index is built.`,
  ),
  '20261122110000_filters': rolls('Only a campaign with a filter gets the value, and the last release has no filters.'),
  '20261122110100_filter_values': rolls(
    'Fills columns in batches. Values that the last release writes later are found by no range until they change again.',
  ),
  '20261122110800_contact_field_custom_field_idx': rolls('An index that begins with the same columns replaces it.'),
  '20261124010000_contact_change': rolls('The default is one value for all rows, so no row is rewritten.'),
  '20261124010100_mail_open_timeline_idx': rolls('Writes to a partition wait while its index is built.'),
  '20261124010200_mail_click_timeline_idx': rolls('Writes to a partition wait while its index is built.'),
  '20261124010300_visit_timeline_idx': rolls('Writes to a partition wait while its index is built.'),
  '20261124010400_opens_of_contacts': rolls(
    'Fills a column in batches. Opens that the last release stores later are missing in the timeline.',
  ),
  '20261124010500_clicks_of_contacts': rolls(
    'Fills a column in batches. Clicks that the last release stores later are missing in the timeline.',
  ),
  '20261124010700_message_contact_idx': rolls('An index that begins with the same columns replaces it.'),
  '20261124011000_replaced_indexes': rolls('Indexes that begin with the same columns replace them.'),
  '20261124050000_events_by_subject': rolls('Builds indexes of the default partition only, which is empty.'),
  '20261125000000_archived_at': rolls('Changes few rows: forms that were archived.'),
  '20261125010100_user_actors': rolls('The last release does not read the table of changes.'),
  '20261125020000_contact_last_active': rolls(
    'Requests for contacts wait while all contacts with activity are updated: plan a minute for 1,000,000.',
  ),
  '20261126020000_contact_counter': rolls(
    'The last release counts its contacts too. Writers wait while contacts are counted.',
  ),
  '20261128020000_contact_tag_order': rolls('A trigger fills the column, whatever version writes the row.'),
  '20261128020100_contact_tag_order_fill': rolls('Fills a column in batches.'),
  '20261128020200_contact_tag_order_required': rolls(
    'The trigger fills the column. Requests for tags of contacts wait while the table is read once.',
  ),
  '20261201000400_replaced_indexes_of_finance': rolls('Indexes that begin with the same columns replace them.'),
  '20261205000100_links_without_cascade': rolls(
    'A tag or field that the last release deletes leaves links, which are never shown.',
  ),
  '20261207000100_enrolments_without_cascade': rolls(
    'A sequence that the last release deletes leaves the enrolments that had ended, which are never shown.',
  ),
  '20261208000100_replaced_index_of_deliveries': rolls(
    'The last release claims deliveries with the other index, and sorts those that are pending for the same webhook.',
  ),
  '20261209000000_pending_lists': rolls(
    'Sets how long pending lists of indexes may grow. Until workers merge them, autovacuum does.',
  ),
}
