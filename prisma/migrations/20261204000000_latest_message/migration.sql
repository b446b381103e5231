-- CreateTable
CREATE TABLE "latest_message" (
    "account_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,
    "opened_at" TIMESTAMPTZ(3),
    "clicked_at" TIMESTAMPTZ(3),
    "unsubscribed_at" TIMESTAMPTZ(3),

    CONSTRAINT "latest_message_pkey" PRIMARY KEY ("account_id","contact_id")
);

-- AddForeignKey
ALTER TABLE "latest_message" ADD CONSTRAINT "latest_message_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Each sent message changes a row. No index has its times, so the new version stays on the page if the page has space.
ALTER TABLE "latest_message" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- The messages of existing accounts are read by a job.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since") SELECT "id", 'latest_message', now() FROM "account";
