-- CreateEnum
CREATE TYPE "contact_change_kind" AS ENUM ('CREATED', 'FIELD', 'CUSTOM_FIELD', 'TAG_ADDED', 'TAG_REMOVED');

-- CreateEnum
CREATE TYPE "actor_kind" AS ENUM ('API_KEY', 'VISITOR', 'IMPORT', 'SEQUENCE_STAGE', 'MAIL_PROVIDER', 'BACKGROUND_JOB');

-- Changes in the accounts that exist are recorded from now on.
ALTER TABLE "account" ADD COLUMN     "changes_since" TIMESTAMPTZ(3) DEFAULT now();
ALTER TABLE "account" ALTER COLUMN "changes_since" DROP DEFAULT;

-- AlterTable
ALTER TABLE "mail_open" ADD COLUMN     "contact_id" INTEGER;

-- AlterTable
ALTER TABLE "mail_click" ADD COLUMN     "contact_id" INTEGER;

-- CreateTable
CREATE TABLE "contact_change" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "contact_change_kind" NOT NULL,
    "actor" "actor_kind" NOT NULL,
    "actor_id" INTEGER,
    "tag_id" INTEGER,
    "custom_field_id" INTEGER,
    "field" VARCHAR(32),
    "old_value" TEXT,
    "new_value" TEXT,

    CONSTRAINT "contact_change_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "contact_change_account_id_contact_id_kind_created_at_id_idx" ON "contact_change"("account_id", "contact_id", "kind", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "contact_change" ADD CONSTRAINT "contact_change_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
