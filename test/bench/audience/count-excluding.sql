-- $1 account, $2 included tag, $3 excluded sequence, $4 campaign whose non-openers are excluded
SELECT count(*)::int AS total, count(*) FILTER (WHERE c.email_marketing)::int AS opt_in
FROM contact_tag t JOIN contact c ON c.account_id = t.account_id AND c.id = t.contact_id
WHERE t.account_id = $1 AND t.tag_id = $2
  AND NOT EXISTS (
    SELECT FROM enrolment e WHERE e.account_id = $1 AND e.sequence_id = $3 AND e.state = 'ACTIVE' AND e.contact_id = c.id)
  AND NOT EXISTS (
    SELECT FROM mail_recipient r WHERE r.account_id = $1 AND r.campaign_id = $4 AND r.contact_id = c.id
      AND r.sent_at IS NOT NULL AND r.opened_at IS NULL)
