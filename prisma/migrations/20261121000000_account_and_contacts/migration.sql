-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "plan" AS ENUM ('FREE_TRIAL', 'STARTER', 'PRO', 'UNLIMITED');

-- CreateEnum
CREATE TYPE "custom_field_type" AS ENUM ('TEXT', 'SELECT', 'NUMBER', 'DATE', 'BOOLEAN', 'URL');

-- CreateEnum
CREATE TYPE "consent_kind" AS ENUM ('EMAIL_MARKETING', 'GDPR');

-- CreateTable
CREATE TABLE "account" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "plan" "plan" NOT NULL,
    "timezone" TEXT,
    "currency" CHAR(3) NOT NULL,
    "subdomain" TEXT,
    "sender_name" TEXT NOT NULL DEFAULT '',
    "sender_email" TEXT NOT NULL DEFAULT '',
    "limit_contacts" INTEGER,
    "limit_campaigns" INTEGER,
    "limit_emails" INTEGER,
    "limit_funnels" INTEGER,
    "limit_monthly_recipients" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "disabled_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "quota_usage" (
    "account_id" INTEGER NOT NULL,
    "slot" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "quota_usage_pkey" PRIMARY KEY ("account_id","slot","period")
);

-- CreateTable
CREATE TABLE "contact" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "phone" TEXT NOT NULL DEFAULT '',
    "company_name" TEXT NOT NULL DEFAULT '',
    "city" TEXT NOT NULL DEFAULT '',
    "country" TEXT NOT NULL DEFAULT '',
    "email_marketing" BOOLEAN NOT NULL DEFAULT false,
    "gdpr" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "contact_consent" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "kind" "consent_kind" NOT NULL,
    "granted" BOOLEAN NOT NULL,
    "source" TEXT NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "ip" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_consent_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "tag" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "tag_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "contact_tag" (
    "account_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "tag_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_tag_pkey" PRIMARY KEY ("account_id","contact_id","tag_id")
);

-- CreateTable
CREATE TABLE "custom_field" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "type" "custom_field_type" NOT NULL,
    "values" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "custom_field_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "contact_field" (
    "account_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "custom_field_id" INTEGER NOT NULL,
    "value" VARCHAR(1000) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_field_pkey" PRIMARY KEY ("account_id","contact_id","custom_field_id")
);

-- CreateTable
CREATE TABLE "outbox_event" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "position" BIGINT,

    CONSTRAINT "outbox_event_pkey" PRIMARY KEY ("account_id","id","created_at")
) PARTITION BY RANGE ("created_at");

-- CreateTable
CREATE TABLE "idempotency_key" (
    "account_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "result" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("account_id","key","field")
);

-- CreateTable
CREATE TABLE "job_worker" (
    "id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "job_worker_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_subdomain_key" ON "account"("subdomain");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "contact_account_id_created_at_id_idx" ON "contact"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "contact_consent_account_id_contact_id_created_at_id_idx" ON "contact_consent"("account_id", "contact_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tag_account_id_created_at_id_idx" ON "tag"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "tag_account_id_name_key" ON "tag"("account_id", "name");

-- CreateIndex
CREATE INDEX "contact_tag_account_id_tag_id_contact_id_idx" ON "contact_tag"("account_id", "tag_id", "contact_id");

-- CreateIndex
CREATE UNIQUE INDEX "custom_field_account_id_name_key" ON "custom_field"("account_id", "name");

-- CreateIndex
CREATE INDEX "contact_field_account_id_custom_field_id_idx" ON "contact_field"("account_id", "custom_field_id");

-- CreateIndex
CREATE INDEX "outbox_event_account_id_position_idx" ON "outbox_event"("account_id", "position");

-- CreateIndex
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_usage" ADD CONSTRAINT "quota_usage_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact" ADD CONSTRAINT "contact_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_consent" ADD CONSTRAINT "contact_consent_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tag" ADD CONSTRAINT "tag_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_tag" ADD CONSTRAINT "contact_tag_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_tag" ADD CONSTRAINT "contact_tag_account_id_tag_id_fkey" FOREIGN KEY ("account_id", "tag_id") REFERENCES "tag"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_field" ADD CONSTRAINT "custom_field_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_field" ADD CONSTRAINT "contact_field_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_field" ADD CONSTRAINT "contact_field_account_id_custom_field_id_fkey" FOREIGN KEY ("account_id", "custom_field_id") REFERENCES "custom_field"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_key" ADD CONSTRAINT "idempotency_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond what Prisma writes; each has its reason in prisma/beyond.md.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

CREATE TABLE "outbox_event_default" PARTITION OF "outbox_event" DEFAULT;
CREATE INDEX "outbox_event_unstamped_idx" ON "outbox_event" ("id") WHERE "position" IS NULL;

CREATE UNIQUE INDEX "contact_account_id_lower_email_key" ON "contact" ("account_id", lower("email"));
CREATE INDEX "contact_search_idx" ON "contact"
  USING gin ("account_id", (lower("email" || ' ' || "first_name" || ' ' || "last_name")) gin_trgm_ops);
