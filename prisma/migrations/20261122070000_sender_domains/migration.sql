-- CreateTable
CREATE TABLE "sender_domain" (
    "account_id" INTEGER NOT NULL,
    "domain" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "txt_found" BOOLEAN NOT NULL DEFAULT false,
    "dkim_found" BOOLEAN NOT NULL DEFAULT false,
    "verified_at" TIMESTAMPTZ(3),
    "accepted_until" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),
    "missing_since" TIMESTAMPTZ(3),
    "problem" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sender_domain_pkey" PRIMARY KEY ("account_id","domain")
);

-- CreateIndex
CREATE INDEX "sender_domain_checked_at_idx" ON "sender_domain"("checked_at");

-- AddForeignKey
ALTER TABLE "sender_domain" ADD CONSTRAINT "sender_domain_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Domains that are in use keep working for 30 days: time to set their DNS records.
INSERT INTO "sender_domain" ("account_id", "domain", "token", "accepted_until", "created_at")
SELECT DISTINCT ON (used.account_id, lower(used.domain)) used.account_id, lower(used.domain),
  replace(gen_random_uuid()::text, '-', ''), now() + interval '30 days', now()
FROM (
  SELECT "account_id", split_part("from_email", '@', -1) AS domain FROM "email" WHERE "from_email" <> ''
  UNION
  SELECT "id", split_part(coalesce(nullif("sender_email", ''), "email"), '@', -1) FROM "account"
) used
WHERE used.domain ~ '^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$' AND length(used.domain) <= 253;
