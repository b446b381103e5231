-- no-transaction
-- Batches of messages, so that locks on rows are short. Can be repeated after a failure.
DO $$
DECLARE
  batch record;
BEGIN
  -- Each batch finds its rows by index, whatever the statistics say.
  PERFORM set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false);
  FOR batch IN SELECT account_id, min(id) AS first, max(id) AS last
    FROM (SELECT account_id, id, ntile(1000) OVER (PARTITION BY account_id ORDER BY id) AS n FROM mail_recipient
      WHERE opened_at IS NOT NULL) r GROUP BY account_id, n ORDER BY account_id, n LOOP
    UPDATE mail_open o SET contact_id = r.contact_id FROM mail_recipient r
    WHERE r.account_id = batch.account_id AND r.id BETWEEN batch.first AND batch.last AND NOT r.is_redacted
      AND o.account_id = r.account_id AND o.recipient_id = r.id AND o.contact_id IS NULL AND NOT o.is_bot;
    COMMIT;
  END LOOP;
  PERFORM set_config('enable_hashjoin', 'on', false), set_config('enable_mergejoin', 'on', false);
END $$;
