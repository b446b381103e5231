-- AlterTable
ALTER TABLE "mail_recipient" ADD COLUMN     "answer" TEXT,
ADD COLUMN     "attempts" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
ADD COLUMN     "email_id" INTEGER,
ADD COLUMN     "worker_id" INTEGER;

-- AlterTable
ALTER TABLE "enrolment" ADD COLUMN     "attempts" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "failure" TEXT;

-- CreateTable
CREATE TABLE "mail_source" (
    "account_id" INTEGER NOT NULL,
    "campaign_id" INTEGER NOT NULL,
    "is_open" BOOLEAN NOT NULL DEFAULT true,
    "due_at" TIMESTAMPTZ(3),
    "stalled_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_source_pkey" PRIMARY KEY ("account_id","campaign_id")
);

-- CreateTable
CREATE TABLE "mail_worker" (
    "id" SERIAL NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mail_worker_pkey" PRIMARY KEY ("id")
);

-- AddForeignKey
ALTER TABLE "mail_source" ADD CONSTRAINT "mail_source_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond what Prisma writes; each has its reason in prisma/beyond.md.

CREATE INDEX "mail_recipient_queue_idx" ON "mail_recipient" ("account_id", (coalesce("campaign_id", 0)), "due_at", "id") WHERE "state" = 'QUEUED';
CREATE INDEX "mail_recipient_busy_idx" ON "mail_recipient" ("account_id", (coalesce("campaign_id", 0)), "worker_id") WHERE "state" IN ('CLAIMED', 'HANDING_OVER');
DROP INDEX "enrolment_due_idx";
CREATE INDEX "enrolment_due_idx" ON "enrolment" ("account_id", "due_at") WHERE "state" = 'ACTIVE' AND "due_at" IS NOT NULL;
CREATE INDEX "mail_source_due_idx" ON "mail_source" ("due_at") WHERE "is_open";

-- What letters hold: links that are counted, keys that sign, addresses that are written to no more.

-- CreateEnum
CREATE TYPE "suppression_reason" AS ENUM ('BOUNCE', 'COMPLAINT', 'MANUAL');

-- CreateTable
CREATE TABLE "mail_link" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "hash" BYTEA NOT NULL,
    "url" TEXT NOT NULL,

    CONSTRAINT "mail_link_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "suppression" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "reason" "suppression_reason" NOT NULL,
    "detail" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppression_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "dkim_key" (
    "account_id" INTEGER NOT NULL,
    "domain" TEXT NOT NULL,
    "selector" TEXT NOT NULL,
    "private_key" BYTEA NOT NULL,
    "public_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dkim_key_pkey" PRIMARY KEY ("account_id","domain")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_link_account_id_hash_key" ON "mail_link"("account_id", "hash");

-- CreateIndex
CREATE INDEX "suppression_account_id_created_at_id_idx" ON "suppression"("account_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "mail_link" ADD CONSTRAINT "mail_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suppression" ADD CONSTRAINT "suppression_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dkim_key" ADD CONSTRAINT "dkim_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond what Prisma writes; each has its reason in prisma/beyond.md.

CREATE UNIQUE INDEX "suppression_account_id_lower_email_key" ON "suppression" ("account_id", lower("email"));
