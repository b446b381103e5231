-- no-transaction
-- Batches of contacts, so that locks on rows are short. The trigger computes the value. Can be repeated after a failure.
DO $$
DECLARE
  batch record;
BEGIN
  FOR batch IN SELECT account_id, min(id) AS first, max(id) AS last
    FROM (SELECT account_id, id, (row_number() OVER (PARTITION BY account_id ORDER BY id) - 1) / 1000 AS n FROM contact) c
    GROUP BY account_id, n ORDER BY account_id, n LOOP
    UPDATE contact_tag ct SET contact_created_at = c.created_at FROM contact c
    WHERE ct.account_id = batch.account_id AND ct.contact_id BETWEEN batch.first AND batch.last
      AND ct.contact_created_at IS NULL AND c.account_id = ct.account_id AND c.id = ct.contact_id;
    COMMIT;
  END LOOP;
END $$;
