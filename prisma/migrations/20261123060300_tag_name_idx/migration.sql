-- no-transaction
CREATE INDEX CONCURRENTLY "tag_name_idx" ON "tag" ("account_id", lower("name"), "id");
