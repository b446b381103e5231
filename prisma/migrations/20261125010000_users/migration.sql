-- CreateEnum
CREATE TYPE "user_role" AS ENUM ('OWNER', 'ADMIN', 'EDITOR', 'ANALYST');

-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "user_id" INTEGER;

-- CreateTable
CREATE TABLE "user" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "role" "user_role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "signed_in_at" TIMESTAMPTZ(3),
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "user_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "session" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "sign_in_link" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_link_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "user_email_idx" ON "user"("email");

-- CreateIndex
CREATE INDEX "user_removed_at_idx" ON "user"("removed_at");

-- CreateIndex
CREATE UNIQUE INDEX "user_account_id_email_key" ON "user"("account_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "session_hash_key" ON "session"("hash");

-- CreateIndex
CREATE INDEX "session_account_id_user_id_idx" ON "session"("account_id", "user_id");

-- CreateIndex
CREATE INDEX "session_used_at_idx" ON "session"("used_at");

-- CreateIndex
CREATE INDEX "session_created_at_idx" ON "session"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "sign_in_link_hash_key" ON "sign_in_link"("hash");

-- CreateIndex
CREATE INDEX "sign_in_link_account_id_user_id_idx" ON "sign_in_link"("account_id", "user_id");

-- CreateIndex
CREATE INDEX "sign_in_link_expires_at_idx" ON "sign_in_link"("expires_at");

-- AddForeignKey
ALTER TABLE "user" ADD CONSTRAINT "user_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "user"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_link" ADD CONSTRAINT "sign_in_link_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "user"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
