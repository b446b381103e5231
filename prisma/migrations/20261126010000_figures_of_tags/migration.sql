-- The tags of existing accounts are counted by a job, and so are submissions and visits, which now have figures of the account.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since")
SELECT a."id", s."name", now() FROM "account" a CROSS JOIN (VALUES ('contact_tag'), ('submission'), ('visit')) s("name")
ON CONFLICT ("account_id", "source") DO UPDATE SET "complete_since" = excluded."complete_since";
