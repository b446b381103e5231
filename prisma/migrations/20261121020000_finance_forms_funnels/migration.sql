-- CreateEnum
CREATE TYPE "order_status" AS ENUM ('WAITING', 'COMPLETED', 'CANCELLED', 'REFUNDED');

-- CreateEnum
CREATE TYPE "transaction_status" AS ENUM ('WAITING', 'PROCESSING', 'COMPLETED', 'REFUNDED', 'CANCELLED', 'ERROR');

-- CreateEnum
CREATE TYPE "invoice_status" AS ENUM ('PAYMENT_DUE', 'PARTIALLY_PAID', 'PAID');

-- CreateEnum
CREATE TYPE "billing_status" AS ENUM ('ACTIVE', 'INACTIVE', 'ERROR');

-- CreateEnum
CREATE TYPE "form_type" AS ENUM ('OPTIN', 'QUIZ', 'SURVEY', 'CHECKOUT');

-- CreateEnum
CREATE TYPE "form_status" AS ENUM ('DRAFT', 'PUBLISHED', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "question_type" AS ENUM ('YES_NO', 'SINGLE_CHOICE', 'MULTIPLE_CHOICE', 'DROPDOWN', 'SHORT_TEXT', 'LONG_TEXT', 'EMAIL', 'PHONE', 'NUMBER', 'DATE', 'RATING', 'OPINION_SCALE', 'URL', 'CONSENT', 'STATEMENT', 'HIDDEN');

-- CreateEnum
CREATE TYPE "bucket" AS ENUM ('HOT', 'WARM', 'COLD');

-- CreateEnum
CREATE TYPE "submission_status" AS ENUM ('IN_PROGRESS', 'COMPLETED');

-- CreateEnum
CREATE TYPE "funnel_type" AS ENUM ('BLANK', 'LEAD', 'SALES');

-- CreateTable
CREATE TABLE "customer" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL DEFAULT '',
    "company_name" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "vat_number" TEXT NOT NULL DEFAULT '',
    "contact_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "customer_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "order" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "id_order" VARCHAR(255) NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "type" VARCHAR(255) NOT NULL,
    "status" "order_status" NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "step_id" INTEGER,
    "attribution" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "order_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "order_line" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "order_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "quantity" INTEGER NOT NULL,
    "unit_price" DECIMAL(19,4) NOT NULL,
    "vat_rate" DECIMAL(5,2) NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "vat" DECIMAL(19,4) NOT NULL,

    CONSTRAINT "order_line_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "transaction" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "id_transaction" VARCHAR(255) NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "order_id" INTEGER,
    "invoice_id" INTEGER,
    "subscription_id" INTEGER,
    "status" "transaction_status" NOT NULL,
    "type" VARCHAR(255) NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "transaction_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "invoice" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "prefix" VARCHAR(32) NOT NULL,
    "number" INTEGER NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "order_id" INTEGER,
    "status" "invoice_status" NOT NULL,
    "type" VARCHAR(255) NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "amount_incl_vat" DECIMAL(19,4) NOT NULL,
    "paid_amount" DECIMAL(19,4) NOT NULL DEFAULT 0,
    "currency" CHAR(3) NOT NULL,
    "seller" JSONB NOT NULL,
    "buyer" JSONB NOT NULL,
    "lines" JSONB NOT NULL,
    "document_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "invoice_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "credit_note" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "prefix" VARCHAR(32) NOT NULL,
    "number" INTEGER NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "order_id" INTEGER,
    "invoice_id" INTEGER NOT NULL,
    "type" VARCHAR(255) NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "amount_incl_vat" DECIMAL(19,4) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "reason" VARCHAR(1000) NOT NULL DEFAULT '',
    "seller" JSONB NOT NULL,
    "buyer" JSONB NOT NULL,
    "lines" JSONB NOT NULL,
    "document_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credit_note_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "billing_subscription" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "id_subscription" VARCHAR(255) NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "status" "billing_status" NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "amount" DECIMAL(19,4) NOT NULL,
    "currency" CHAR(3) NOT NULL,
    "payment_source" VARCHAR(255) NOT NULL,
    "rate_months" INTEGER NOT NULL,
    "trial" BOOLEAN NOT NULL DEFAULT false,
    "payments_left" INTEGER,
    "rebill_date" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "billing_subscription_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "number_series" (
    "account_id" INTEGER NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "prefix" VARCHAR(32) NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "number_series_pkey" PRIMARY KEY ("account_id","kind","prefix")
);

-- CreateTable
CREATE TABLE "billing_profile" (
    "account_id" INTEGER NOT NULL,
    "company_name" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "vat_number" TEXT NOT NULL DEFAULT '',
    "footer" TEXT NOT NULL DEFAULT '',
    "invoice_prefix" VARCHAR(32) NOT NULL DEFAULT 'INV-',
    "credit_note_prefix" VARCHAR(32) NOT NULL DEFAULT 'CN-',

    CONSTRAINT "billing_profile_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "provider_event" (
    "account_id" INTEGER NOT NULL,
    "provider" VARCHAR(64) NOT NULL,
    "event_id" VARCHAR(255) NOT NULL,
    "input_hash" TEXT NOT NULL,
    "result" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_event_pkey" PRIMARY KEY ("account_id","provider","event_id")
);

-- CreateTable
CREATE TABLE "form" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "type" "form_type" NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "status" "form_status" NOT NULL,
    "warm_from" DECIMAL(12,2) NOT NULL,
    "hot_from" DECIMAL(12,2) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "published_at" TIMESTAMPTZ(3),

    CONSTRAINT "form_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "question" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "form_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "question_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "question_version" (
    "account_id" INTEGER NOT NULL,
    "question_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "label" VARCHAR(1000) NOT NULL,
    "type" "question_type" NOT NULL,
    "required" BOOLEAN NOT NULL,
    "options" JSONB,
    "points" JSONB NOT NULL DEFAULT '[]',
    "contact_field" VARCHAR(32),
    "custom_field_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "question_version_pkey" PRIMARY KEY ("account_id","question_id","version")
);

-- CreateTable
CREATE TABLE "outcome" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "form_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "key" VARCHAR(64) NOT NULL,
    "title" VARCHAR(255) NOT NULL,
    "text" TEXT NOT NULL DEFAULT '',
    "bucket" "bucket" NOT NULL,

    CONSTRAINT "outcome_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "submission" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "form_id" INTEGER NOT NULL,
    "contact_id" INTEGER,
    "client_submission_id" VARCHAR(128),
    "status" "submission_status" NOT NULL,
    "score" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "bucket" "bucket" NOT NULL,
    "outcome_key" VARCHAR(64),
    "outcome_title" VARCHAR(255),
    "ai_summary" TEXT,
    "attribution" JSONB NOT NULL DEFAULT '{}',
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "submission_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "answer" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "submission_id" INTEGER NOT NULL,
    "question_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "values" TEXT[],
    "search" TEXT NOT NULL,
    "score" DECIMAL(12,2) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "answer_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "funnel" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "type" "funnel_type" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "funnel_step" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "funnel_id" INTEGER NOT NULL,
    "form_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "path" VARCHAR(255) NOT NULL,
    "type" INTEGER NOT NULL,
    "title" VARCHAR(255) NOT NULL DEFAULT '',
    "description" VARCHAR(1000) NOT NULL DEFAULT '',
    "published_version" INTEGER,
    "tag_ids" INTEGER[],
    "sequence_ids" INTEGER[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "funnel_step_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "step_version" (
    "account_id" INTEGER NOT NULL,
    "step_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "content" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "step_version_pkey" PRIMARY KEY ("account_id","step_id","version")
);

-- CreateTable
CREATE TABLE "visit" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "funnel_id" INTEGER NOT NULL,
    "step_id" INTEGER NOT NULL,
    "visitor_id" VARCHAR(64) NOT NULL,
    "contact_id" INTEGER,
    "is_bot" BOOLEAN NOT NULL DEFAULT false,
    "attribution" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "visit_pkey" PRIMARY KEY ("account_id","id","created_at")
) PARTITION BY RANGE ("created_at");
CREATE TABLE "visit_default" PARTITION OF "visit" DEFAULT;

-- CreateIndex
CREATE INDEX "customer_account_id_contact_id_idx" ON "customer"("account_id", "contact_id");

-- CreateIndex
CREATE INDEX "customer_account_id_created_at_id_idx" ON "customer"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "order_account_id_created_at_id_idx" ON "order"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "order_account_id_customer_id_created_at_id_idx" ON "order"("account_id", "customer_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "order_account_id_id_order_key" ON "order"("account_id", "id_order");

-- CreateIndex
CREATE INDEX "order_line_account_id_order_id_position_idx" ON "order_line"("account_id", "order_id", "position");

-- CreateIndex
CREATE INDEX "transaction_account_id_created_at_id_idx" ON "transaction"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "transaction_account_id_customer_id_created_at_id_idx" ON "transaction"("account_id", "customer_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "transaction_account_id_order_id_idx" ON "transaction"("account_id", "order_id");

-- CreateIndex
CREATE INDEX "transaction_account_id_invoice_id_idx" ON "transaction"("account_id", "invoice_id");

-- CreateIndex
CREATE INDEX "transaction_account_id_subscription_id_idx" ON "transaction"("account_id", "subscription_id");

-- CreateIndex
CREATE UNIQUE INDEX "transaction_account_id_id_transaction_key" ON "transaction"("account_id", "id_transaction");

-- CreateIndex
CREATE INDEX "invoice_account_id_created_at_id_idx" ON "invoice"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "invoice_account_id_customer_id_created_at_id_idx" ON "invoice"("account_id", "customer_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "invoice_account_id_order_id_idx" ON "invoice"("account_id", "order_id");

-- CreateIndex
CREATE UNIQUE INDEX "invoice_account_id_prefix_number_key" ON "invoice"("account_id", "prefix", "number");

-- CreateIndex
CREATE INDEX "credit_note_account_id_created_at_id_idx" ON "credit_note"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "credit_note_account_id_customer_id_created_at_id_idx" ON "credit_note"("account_id", "customer_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "credit_note_account_id_order_id_idx" ON "credit_note"("account_id", "order_id");

-- CreateIndex
CREATE INDEX "credit_note_account_id_invoice_id_idx" ON "credit_note"("account_id", "invoice_id");

-- CreateIndex
CREATE UNIQUE INDEX "credit_note_account_id_prefix_number_key" ON "credit_note"("account_id", "prefix", "number");

-- CreateIndex
CREATE INDEX "billing_subscription_account_id_created_at_id_idx" ON "billing_subscription"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "billing_subscription_account_id_status_created_at_id_idx" ON "billing_subscription"("account_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "billing_subscription_account_id_customer_id_created_at_id_idx" ON "billing_subscription"("account_id", "customer_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "billing_subscription_account_id_id_subscription_key" ON "billing_subscription"("account_id", "id_subscription");

-- CreateIndex
CREATE INDEX "provider_event_created_at_idx" ON "provider_event"("created_at");

-- CreateIndex
CREATE INDEX "form_account_id_created_at_id_idx" ON "form"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "form_account_id_status_created_at_id_idx" ON "form"("account_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "question_account_id_form_id_position_idx" ON "question"("account_id", "form_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "outcome_account_id_form_id_key_key" ON "outcome"("account_id", "form_id", "key");

-- CreateIndex
CREATE INDEX "submission_account_id_created_at_id_idx" ON "submission"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_form_id_created_at_id_idx" ON "submission"("account_id", "form_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_contact_id_created_at_id_idx" ON "submission"("account_id", "contact_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_updated_at_id_idx" ON "submission"("account_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_score_id_idx" ON "submission"("account_id", "score" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_form_id_score_id_idx" ON "submission"("account_id", "form_id", "score" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submission_account_id_form_id_completed_at_idx" ON "submission"("account_id", "form_id", "completed_at");

-- CreateIndex
CREATE UNIQUE INDEX "submission_account_id_form_id_client_submission_id_key" ON "submission"("account_id", "form_id", "client_submission_id");

-- CreateIndex
CREATE UNIQUE INDEX "answer_account_id_submission_id_question_id_key" ON "answer"("account_id", "submission_id", "question_id");

-- CreateIndex
CREATE INDEX "funnel_account_id_created_at_id_idx" ON "funnel"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "funnel_step_account_id_funnel_id_position_idx" ON "funnel_step"("account_id", "funnel_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_step_account_id_funnel_id_path_key" ON "funnel_step"("account_id", "funnel_id", "path");

-- CreateIndex
CREATE UNIQUE INDEX "funnel_step_account_id_form_id_key" ON "funnel_step"("account_id", "form_id");

-- CreateIndex
CREATE INDEX "visit_account_id_funnel_id_created_at_idx" ON "visit"("account_id", "funnel_id", "created_at");

-- AddForeignKey
ALTER TABLE "customer" ADD CONSTRAINT "customer_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "customer" ADD CONSTRAINT "customer_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE SET NULL ("contact_id") ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "order" ADD CONSTRAINT "order_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "order" ADD CONSTRAINT "order_account_id_customer_id_fkey" FOREIGN KEY ("account_id", "customer_id") REFERENCES "customer"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "order_line" ADD CONSTRAINT "order_line_account_id_order_id_fkey" FOREIGN KEY ("account_id", "order_id") REFERENCES "order"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_customer_id_fkey" FOREIGN KEY ("account_id", "customer_id") REFERENCES "customer"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_order_id_fkey" FOREIGN KEY ("account_id", "order_id") REFERENCES "order"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_invoice_id_fkey" FOREIGN KEY ("account_id", "invoice_id") REFERENCES "invoice"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_account_id_subscription_id_fkey" FOREIGN KEY ("account_id", "subscription_id") REFERENCES "billing_subscription"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_account_id_customer_id_fkey" FOREIGN KEY ("account_id", "customer_id") REFERENCES "customer"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_account_id_order_id_fkey" FOREIGN KEY ("account_id", "order_id") REFERENCES "order"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoice" ADD CONSTRAINT "invoice_account_id_document_id_fkey" FOREIGN KEY ("account_id", "document_id") REFERENCES "document"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_note" ADD CONSTRAINT "credit_note_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_note" ADD CONSTRAINT "credit_note_account_id_customer_id_fkey" FOREIGN KEY ("account_id", "customer_id") REFERENCES "customer"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_note" ADD CONSTRAINT "credit_note_account_id_order_id_fkey" FOREIGN KEY ("account_id", "order_id") REFERENCES "order"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_note" ADD CONSTRAINT "credit_note_account_id_invoice_id_fkey" FOREIGN KEY ("account_id", "invoice_id") REFERENCES "invoice"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_note" ADD CONSTRAINT "credit_note_account_id_document_id_fkey" FOREIGN KEY ("account_id", "document_id") REFERENCES "document"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscription" ADD CONSTRAINT "billing_subscription_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_subscription" ADD CONSTRAINT "billing_subscription_account_id_customer_id_fkey" FOREIGN KEY ("account_id", "customer_id") REFERENCES "customer"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "number_series" ADD CONSTRAINT "number_series_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_profile" ADD CONSTRAINT "billing_profile_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_event" ADD CONSTRAINT "provider_event_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form" ADD CONSTRAINT "form_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "question" ADD CONSTRAINT "question_account_id_form_id_fkey" FOREIGN KEY ("account_id", "form_id") REFERENCES "form"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "question_version" ADD CONSTRAINT "question_version_account_id_question_id_fkey" FOREIGN KEY ("account_id", "question_id") REFERENCES "question"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outcome" ADD CONSTRAINT "outcome_account_id_form_id_fkey" FOREIGN KEY ("account_id", "form_id") REFERENCES "form"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submission" ADD CONSTRAINT "submission_account_id_form_id_fkey" FOREIGN KEY ("account_id", "form_id") REFERENCES "form"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submission" ADD CONSTRAINT "submission_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answer" ADD CONSTRAINT "answer_account_id_submission_id_fkey" FOREIGN KEY ("account_id", "submission_id") REFERENCES "submission"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "answer" ADD CONSTRAINT "answer_account_id_question_id_version_fkey" FOREIGN KEY ("account_id", "question_id", "version") REFERENCES "question_version"("account_id", "question_id", "version") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel" ADD CONSTRAINT "funnel_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_step" ADD CONSTRAINT "funnel_step_account_id_funnel_id_fkey" FOREIGN KEY ("account_id", "funnel_id") REFERENCES "funnel"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "funnel_step" ADD CONSTRAINT "funnel_step_account_id_form_id_fkey" FOREIGN KEY ("account_id", "form_id") REFERENCES "form"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step_version" ADD CONSTRAINT "step_version_account_id_step_id_fkey" FOREIGN KEY ("account_id", "step_id") REFERENCES "funnel_step"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond Prisma
CREATE UNIQUE INDEX "customer_account_id_lower_email_key" ON "customer"("account_id", lower("email"));
CREATE INDEX "order_sales_idx" ON "order"("account_id", "status", "created_at" DESC, "id" DESC) INCLUDE ("currency", "amount");
CREATE INDEX "order_step_idx" ON "order"("account_id", "step_id", "created_at") WHERE "step_id" IS NOT NULL;
CREATE INDEX "answer_values_idx" ON "answer" USING GIN ("account_id", "question_id", "values");
CREATE INDEX "answer_search_idx" ON "answer" USING GIN ("account_id", "question_id", "search" gin_trgm_ops);
