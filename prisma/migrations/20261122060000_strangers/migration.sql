-- What a visitor typed is kept apart from what is stored until its address is proven; visits, opens and clicks are bounded.
-- AlterTable
ALTER TABLE "account" ADD COLUMN     "trust_typed_addresses" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "submission" ADD COLUMN     "typed" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
ALTER TABLE "mail_open" ADD COLUMN     "times" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "mail_click" ADD COLUMN     "times" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "contact_claim" (
    "account_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "visitor_id" VARCHAR(64) NOT NULL,
    "submission_id" INTEGER NOT NULL,

    CONSTRAINT "contact_claim_pkey" PRIMARY KEY ("account_id","contact_id")
);

-- CreateTable
CREATE TABLE "visit_total" (
    "account_id" INTEGER NOT NULL,
    "funnel_id" INTEGER NOT NULL,
    "step_id" INTEGER NOT NULL,
    "visitors" INTEGER NOT NULL,
    "views" INTEGER NOT NULL,

    CONSTRAINT "visit_total_pkey" PRIMARY KEY ("account_id","funnel_id","step_id")
);

-- AddForeignKey
ALTER TABLE "contact_claim" ADD CONSTRAINT "contact_claim_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contact"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "visit_total" ADD CONSTRAINT "visit_total_account_id_funnel_id_fkey" FOREIGN KEY ("account_id", "funnel_id") REFERENCES "funnel"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
