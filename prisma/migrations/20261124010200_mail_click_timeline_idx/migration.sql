-- no-transaction
-- One partition at a time, so that writers wait only for one. Can be repeated after a failure.
DO $$
DECLARE
  part record;
BEGIN
  CREATE INDEX IF NOT EXISTS "mail_click_timeline_idx" ON ONLY "mail_click" ("account_id", "contact_id", "created_at" DESC, "id" DESC)
    WHERE "contact_id" IS NOT NULL AND NOT "is_bot";
  COMMIT;
  FOR part IN SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'mail_click'::regclass LOOP
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I ("account_id", "contact_id", "created_at" DESC, "id" DESC)
      WHERE "contact_id" IS NOT NULL AND NOT "is_bot"', part.relname || '_timeline_idx', part.relname);
    EXECUTE format('ALTER INDEX "mail_click_timeline_idx" ATTACH PARTITION %I', part.relname || '_timeline_idx');
    COMMIT;
  END LOOP;
END $$;
