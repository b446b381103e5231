-- no-transaction
-- One custom field at a time, so that locks on rows are short. Can be repeated after a failure.
DO $$
DECLARE
  field record;
BEGIN
  FOR field IN SELECT account_id, id, type FROM custom_field WHERE type IN ('NUMBER', 'DATE') ORDER BY account_id, id LOOP
    UPDATE contact_field SET
      number = CASE WHEN field.type = 'NUMBER' AND value ~ '^-?[0-9]+([.][0-9]+)?$' THEN value::numeric END,
      day = CASE WHEN field.type = 'DATE' AND value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' AND value NOT LIKE '0000%' THEN to_date(value, 'YYYY-MM-DD') END
    WHERE account_id = field.account_id AND custom_field_id = field.id AND number IS NULL AND day IS NULL;
    COMMIT;
  END LOOP;
END $$;
