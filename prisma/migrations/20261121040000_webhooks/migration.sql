-- CreateEnum
CREATE TYPE "webhook_delivery_state" AS ENUM ('PENDING', 'DELIVERED', 'FAILED');

-- CreateEnum
CREATE TYPE "webhook_disabled_reason" AS ENUM ('GONE', 'FAILING');

-- CreateTable
CREATE TABLE "webhook" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "url" TEXT NOT NULL,
    "events" TEXT[],
    "description" TEXT NOT NULL DEFAULT '',
    "document" TEXT,
    "scopes" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" "webhook_disabled_reason",
    "failing_since" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "webhook_id" INTEGER NOT NULL,
    "event_id" BIGINT,
    "position" BIGINT NOT NULL DEFAULT 0,
    "message_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "body" TEXT,
    "state" "webhook_delivery_state" NOT NULL DEFAULT 'PENDING',
    "step" INTEGER NOT NULL DEFAULT 0,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempted_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response" TEXT,
    "error" TEXT,
    "milliseconds" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_account_id_url_key" ON "webhook"("account_id", "url");

-- CreateIndex
CREATE INDEX "webhook_delivery_account_id_webhook_id_created_at_id_idx" ON "webhook_delivery"("account_id", "webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_delivery_created_at_idx" ON "webhook_delivery"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_account_id_webhook_id_event_id_key" ON "webhook_delivery"("account_id", "webhook_id", "event_id");

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Beyond Prisma: what is due of each webhook, whichever account's, without touching what is done.
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery"("account_id", "webhook_id", "due_at", "id") WHERE "state" = 'PENDING';
