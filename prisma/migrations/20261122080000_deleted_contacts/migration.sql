-- What was sent to a contact, what it was enrolled in and what it submitted outlive it, so that figures do not shrink.
-- DropForeignKey
ALTER TABLE "mail_recipient" DROP CONSTRAINT "mail_recipient_account_id_contact_id_fkey";

-- DropForeignKey
ALTER TABLE "enrolment" DROP CONSTRAINT "enrolment_account_id_contact_id_fkey";

-- DropForeignKey
ALTER TABLE "submission" DROP CONSTRAINT "submission_account_id_contact_id_fkey";

-- AlterTable
ALTER TABLE "mail_recipient" ADD COLUMN     "is_redacted" BOOLEAN NOT NULL DEFAULT false;

-- AddForeignKey
ALTER TABLE "mail_recipient" ADD CONSTRAINT "mail_recipient_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "visit_contact_idx" ON "visit"("account_id", "contact_id") WHERE "contact_id" IS NOT NULL;
