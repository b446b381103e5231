-- CreateEnum
CREATE TYPE "bulk_action" AS ENUM ('ADD_TAGS', 'REMOVE_TAGS', 'ADD_SEQUENCES', 'REMOVE_SEQUENCES', 'UNSUBSCRIBE', 'UPDATE', 'DELETE');

-- CreateEnum
CREATE TYPE "bulk_job_status" AS ENUM ('RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "bulk_error_code" AS ENUM ('NOT_FOUND', 'LIMIT_REACHED', 'CONTACT_KEPT');

-- CreateTable
CREATE TABLE "bulk_job" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "status" "bulk_job_status" NOT NULL,
    "action" "bulk_action" NOT NULL,
    "options" JSONB NOT NULL,
    "filter" JSONB,
    "last_contact_id" INTEGER NOT NULL DEFAULT 0,
    "scanned_to" INTEGER NOT NULL DEFAULT 0,
    "chunks" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "total" INTEGER NOT NULL DEFAULT 0,
    "done" INTEGER NOT NULL DEFAULT 0,
    "changed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "selected_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_job_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "bulk_job_chunk" (
    "account_id" INTEGER NOT NULL,
    "job_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "rows" TEXT NOT NULL,

    CONSTRAINT "bulk_job_chunk_pkey" PRIMARY KEY ("account_id","job_id","number")
);

-- CreateTable
CREATE TABLE "bulk_job_error" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "job_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "code" "bulk_error_code" NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "bulk_job_error_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "bulk_job_account_id_created_at_id_idx" ON "bulk_job"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "bulk_job_created_at_idx" ON "bulk_job"("created_at");

-- CreateIndex
CREATE INDEX "bulk_job_error_account_id_job_id_id_idx" ON "bulk_job_error"("account_id", "job_id", "id");

-- AddForeignKey
ALTER TABLE "bulk_job" ADD CONSTRAINT "bulk_job_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_job_chunk" ADD CONSTRAINT "bulk_job_chunk_account_id_job_id_fkey" FOREIGN KEY ("account_id", "job_id") REFERENCES "bulk_job"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "bulk_job_error" ADD CONSTRAINT "bulk_job_error_account_id_job_id_fkey" FOREIGN KEY ("account_id", "job_id") REFERENCES "bulk_job"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
