-- $1 account, $2 campaign; the recipients are in the table snapshot, in the order of the contacts
INSERT INTO mail_recipient (account_id, campaign_id, contact_id, created_at)
SELECT $1, $2, contact_id, now() FROM snapshot
