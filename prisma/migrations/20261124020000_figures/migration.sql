-- CreateTable
CREATE TABLE "figure_delta" (
    "account_id" INTEGER NOT NULL,
    "figure" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "value" DECIMAL(24,6) NOT NULL,

    CONSTRAINT "figure_delta_pkey" PRIMARY KEY ("account_id","figure","object","currency","at","id")
);

-- CreateTable
CREATE TABLE "figure_total" (
    "account_id" INTEGER NOT NULL,
    "figure" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "value" DECIMAL(24,6) NOT NULL,

    CONSTRAINT "figure_total_pkey" PRIMARY KEY ("account_id","figure","object","currency","minutes","at")
);

-- CreateTable
CREATE TABLE "figure_fill" (
    "account_id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "complete_since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "figure_fill_pkey" PRIMARY KEY ("account_id","source")
);

-- AddForeignKey
ALTER TABLE "figure_delta" ADD CONSTRAINT "figure_delta_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "figure_total" ADD CONSTRAINT "figure_total_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "figure_fill" ADD CONSTRAINT "figure_fill_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The rows of existing accounts are counted by a job.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since")
SELECT a."id", s."name", now() FROM "account" a CROSS JOIN
  (VALUES ('contact'), ('contact_consent'), ('mail_recipient'), ('mail_open'), ('mail_click'), ('order'),
    ('billing_subscription'), ('submission'), ('visit')) s("name");
