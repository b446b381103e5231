-- Pages for visitors: double opt-in, where browsers came from, and forms by an address that names no account.
-- AlterTable
ALTER TABLE "account" ADD COLUMN     "double_opt_in" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "submission" ADD COLUMN     "first_attribution" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "visitor" (
    "account_id" INTEGER NOT NULL,
    "id" VARCHAR(64) NOT NULL,
    "first_touch" JSONB NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_touch" JSONB NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "visitor_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "form_id_idx" ON "form"("id");

-- AddForeignKey
ALTER TABLE "visitor" ADD CONSTRAINT "visitor_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
