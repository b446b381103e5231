-- Lists read the number of contacts from this counter, so it is made exact. Writers change it last in their transaction: with the
-- lock, each contact is either committed and counted here, or adds itself afterwards.
LOCK TABLE "quota_usage" IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO "quota_usage" ("account_id", "slot", "period", "used")
SELECT a."id", 'contacts', '', (SELECT count(*) FROM "contact" c WHERE c."account_id" = a."id") FROM "account" a
ON CONFLICT ("account_id", "slot", "period") DO UPDATE SET "used" = excluded."used" WHERE "quota_usage"."used" <> excluded."used";
