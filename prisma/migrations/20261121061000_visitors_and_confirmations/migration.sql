-- Opt-ins that are to be confirmed by e-mail; visitors that did not come for long are found by their age.
-- CreateIndex
CREATE INDEX "visitor_last_at_idx" ON "visitor"("last_at");

-- CreateTable
CREATE TABLE "confirmation" (
    "account_id" INTEGER NOT NULL,
    "submission_id" INTEGER NOT NULL,
    "contact_id" INTEGER NOT NULL,
    "source" VARCHAR(255) NOT NULL,
    "text" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "confirmation_pkey" PRIMARY KEY ("account_id","submission_id")
);

-- CreateIndex
CREATE INDEX "confirmation_account_id_contact_id_asked_at_idx" ON "confirmation"("account_id", "contact_id", "asked_at");

-- CreateIndex
CREATE INDEX "confirmation_asked_at_idx" ON "confirmation"("asked_at");

-- AddForeignKey
ALTER TABLE "confirmation" ADD CONSTRAINT "confirmation_account_id_submission_id_fkey" FOREIGN KEY ("account_id", "submission_id") REFERENCES "submission"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
