-- CreateEnum
CREATE TYPE "campaign_status" AS ENUM ('DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'ERROR');

-- CreateEnum
CREATE TYPE "campaign_error" AS ENUM ('NO_RECIPIENTS', 'SENDER_REJECTED', 'TEMPLATE_ERROR', 'QUOTA_EXCEEDED', 'PROVIDER_DOWN', 'MISSED_WINDOW', 'CANCELLED');

-- CreateEnum
CREATE TYPE "recipient_state" AS ENUM ('QUEUED', 'CLAIMED', 'HANDING_OVER', 'SENT', 'BOUNCED', 'FAILED', 'SKIPPED', 'UNKNOWN');

-- CreateEnum
CREATE TYPE "sequence_type" AS ENUM ('NORMAL', 'INVERTED');

-- CreateEnum
CREATE TYPE "stage_type" AS ENUM ('SEND_EMAIL', 'SEND_SMS', 'ACTION');

-- CreateEnum
CREATE TYPE "enrolment_state" AS ENUM ('ACTIVE', 'COMPLETED', 'ENDED');

-- CreateTable
CREATE TABLE "document" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "token" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "body" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "document_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "campaign" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "email_id" INTEGER NOT NULL,
    "status" "campaign_status" NOT NULL DEFAULT 'DRAFT',
    "error_code" "campaign_error",
    "send_to_all" BOOLEAN NOT NULL DEFAULT false,
    "filters" JSONB NOT NULL DEFAULT '{}',
    "recipients_count" INTEGER NOT NULL DEFAULT 0,
    "sent_to" INTEGER NOT NULL DEFAULT 0,
    "scheduled_for" TIMESTAMPTZ(3),
    "paused_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "campaign_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "email" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "subject" TEXT NOT NULL DEFAULT '',
    "from_name" TEXT NOT NULL DEFAULT '',
    "from_email" TEXT NOT NULL DEFAULT '',
    "html_document_id" INTEGER,
    "text_document_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "mail_recipient" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "campaign_id" INTEGER,
    "sequence_id" INTEGER,
    "stage_id" INTEGER,
    "enrolment_id" INTEGER,
    "contact_id" INTEGER NOT NULL,
    "state" "recipient_state" NOT NULL DEFAULT 'QUEUED',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3),
    "clicked_at" TIMESTAMPTZ(3),
    "unsubscribed_at" TIMESTAMPTZ(3),

    CONSTRAINT "mail_recipient_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "mail_open" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "recipient_id" BIGINT NOT NULL,
    "is_bot" BOOLEAN NOT NULL,

    CONSTRAINT "mail_open_pkey" PRIMARY KEY ("account_id","id","created_at")
) PARTITION BY RANGE ("created_at");

-- CreateTable
CREATE TABLE "mail_click" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "recipient_id" BIGINT NOT NULL,
    "url" TEXT NOT NULL,
    "is_bot" BOOLEAN NOT NULL,

    CONSTRAINT "mail_click_pkey" PRIMARY KEY ("account_id","id","created_at")
) PARTITION BY RANGE ("created_at");

-- CreateTable
CREATE TABLE "monthly_recipient" (
    "account_id" INTEGER NOT NULL,
    "month" CHAR(7) NOT NULL,
    "block" INTEGER NOT NULL,
    "contacts" BIT(1024) NOT NULL,
    "added" INTEGER NOT NULL,

    CONSTRAINT "monthly_recipient_pkey" PRIMARY KEY ("account_id","month","block")
);

-- CreateTable
CREATE TABLE "sequence" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "type" "sequence_type" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sequence_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "sequence_stage" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "sequence_id" INTEGER NOT NULL,
    "step" INTEGER NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "stage_type" "stage_type" NOT NULL,
    "time_value" INTEGER NOT NULL,
    "time_type" INTEGER NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT false,
    "email_id" INTEGER,
    "action" JSONB,
    "sms_text" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sequence_stage_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "enrolment" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "sequence_id" INTEGER NOT NULL,
    "state" "enrolment_state" NOT NULL DEFAULT 'ACTIVE',
    "anchor_date" TIMESTAMPTZ(3),
    "enrolled_at" TIMESTAMPTZ(3) NOT NULL,
    "position" INTEGER NOT NULL DEFAULT 0,
    "done_stage_ids" INTEGER[],
    "last_stage_id" INTEGER,
    "last_done_at" TIMESTAMPTZ(3),
    "next_stage_id" INTEGER,
    "due_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "enrolment_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "document_account_id_token_key" ON "document"("account_id", "token");

-- CreateIndex
CREATE INDEX "campaign_account_id_created_at_id_idx" ON "campaign"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "mail_recipient_account_id_contact_id_idx" ON "mail_recipient"("account_id", "contact_id");

-- CreateIndex
CREATE INDEX "mail_recipient_account_id_sequence_id_stage_id_idx" ON "mail_recipient"("account_id", "sequence_id", "stage_id");

-- CreateIndex
CREATE INDEX "mail_recipient_account_id_sent_at_idx" ON "mail_recipient"("account_id", "sent_at");

-- CreateIndex
CREATE UNIQUE INDEX "mail_recipient_account_id_campaign_id_contact_id_key" ON "mail_recipient"("account_id", "campaign_id", "contact_id");

-- CreateIndex
CREATE UNIQUE INDEX "mail_recipient_account_id_enrolment_id_stage_id_key" ON "mail_recipient"("account_id", "enrolment_id", "stage_id");

-- CreateIndex
CREATE INDEX "mail_open_account_id_recipient_id_idx" ON "mail_open"("account_id", "recipient_id");

-- CreateIndex
CREATE INDEX "mail_click_account_id_recipient_id_idx" ON "mail_click"("account_id", "recipient_id");

-- CreateIndex
CREATE INDEX "sequence_account_id_created_at_id_idx" ON "sequence"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sequence_stage_account_id_sequence_id_step_idx" ON "sequence_stage"("account_id", "sequence_id", "step");

-- CreateIndex
CREATE INDEX "enrolment_account_id_sequence_id_enrolled_at_id_idx" ON "enrolment"("account_id", "sequence_id", "enrolled_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "enrolment_account_id_contact_id_idx" ON "enrolment"("account_id", "contact_id");

-- AddForeignKey
ALTER TABLE "document" ADD CONSTRAINT "document_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "campaign" ADD CONSTRAINT "campaign_account_id_email_id_fkey" FOREIGN KEY ("account_id", "email_id") REFERENCES "email"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email" ADD CONSTRAINT "email_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email" ADD CONSTRAINT "email_account_id_html_document_id_fkey" FOREIGN KEY ("account_id", "html_document_id") REFERENCES "document"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "email" ADD CONSTRAINT "email_account_id_text_document_id_fkey" FOREIGN KEY ("account_id", "text_document_id") REFERENCES "document"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mail_recipient" ADD CONSTRAINT "mail_recipient_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "monthly_recipient" ADD CONSTRAINT "monthly_recipient_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequence" ADD CONSTRAINT "sequence_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequence_stage" ADD CONSTRAINT "sequence_stage_account_id_sequence_id_fkey" FOREIGN KEY ("account_id", "sequence_id") REFERENCES "sequence"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sequence_stage" ADD CONSTRAINT "sequence_stage_account_id_email_id_fkey" FOREIGN KEY ("account_id", "email_id") REFERENCES "email"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment" ADD CONSTRAINT "enrolment_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment" ADD CONSTRAINT "enrolment_account_id_sequence_id_fkey" FOREIGN KEY ("account_id", "sequence_id") REFERENCES "sequence"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond what Prisma writes; each has its reason in prisma/beyond.md.

CREATE TABLE "mail_open_default" PARTITION OF "mail_open" DEFAULT;
CREATE TABLE "mail_click_default" PARTITION OF "mail_click" DEFAULT;

CREATE UNIQUE INDEX "enrolment_live_key" ON "enrolment" ("account_id", "contact_id", "sequence_id") WHERE "state" = 'ACTIVE';
CREATE INDEX "enrolment_sequence_idx" ON "enrolment" ("account_id", "sequence_id", "contact_id") WHERE "state" = 'ACTIVE';
CREATE INDEX "enrolment_due_idx" ON "enrolment" ("due_at") WHERE "state" = 'ACTIVE';
CREATE INDEX "campaign_due_idx" ON "campaign" ("scheduled_for") WHERE "status" = 'SCHEDULED';
