-- CreateEnum
CREATE TYPE "erasure_status" AS ENUM ('RUNNING', 'COMPLETED');

-- CreateTable
CREATE TABLE "contact_merge" (
    "account_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "into_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "contact_merge_pkey" PRIMARY KEY ("account_id","contact_id")
);

-- CreateTable
CREATE TABLE "contact_erasure" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "status" "erasure_status" NOT NULL DEFAULT 'RUNNING',
    "redact_sales" BOOLEAN NOT NULL,
    "person" JSONB,
    "step" TEXT,
    "position" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_erasure_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "suppression_hash" (
    "account_id" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "suppression_hash_pkey" PRIMARY KEY ("account_id","hash")
);

-- CreateIndex
CREATE INDEX "contact_merge_account_id_into_id_idx" ON "contact_merge"("account_id", "into_id");

-- AddForeignKey
ALTER TABLE "contact_merge" ADD CONSTRAINT "contact_merge_account_id_into_id_fkey" FOREIGN KEY ("account_id", "into_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_erasure" ADD CONSTRAINT "contact_erasure_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "suppression_hash" ADD CONSTRAINT "suppression_hash_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
