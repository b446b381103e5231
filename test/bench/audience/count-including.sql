-- $1 account, $2 included tag, $3 excluded sequence, $4 campaign whose non-openers are included too
SELECT count(*)::int AS total, count(*) FILTER (WHERE c.email_marketing)::int AS opt_in
FROM contact c
WHERE c.account_id = $1
  AND c.id IN (
    SELECT contact_id FROM contact_tag WHERE account_id = $1 AND tag_id = $2
    UNION
    SELECT contact_id FROM mail_recipient
    WHERE account_id = $1 AND campaign_id = $4 AND sent_at IS NOT NULL AND opened_at IS NULL)
  AND NOT EXISTS (
    SELECT FROM enrolment e WHERE e.account_id = $1 AND e.sequence_id = $3 AND e.state = 'ACTIVE' AND e.contact_id = c.id)
