-- AlterTable
ALTER TABLE "contact_tag" ALTER COLUMN "contact_created_at" SET NOT NULL;
