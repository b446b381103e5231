-- Changes of sequences with many enrolments, for which a job plans the enrolments in batches.
ALTER TABLE "sequence" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 0;

ALTER TABLE "enrolment" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "sequence_revision" (
    "account_id" INTEGER NOT NULL,
    "sequence_id" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "type" "sequence_type" NOT NULL,
    "stages" JSONB,
    "moved_from" INTEGER NOT NULL,
    "moved_to" INTEGER NOT NULL,
    "closed_stage_id" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sequence_revision_pkey" PRIMARY KEY ("account_id","sequence_id","revision")
);

-- AddForeignKey
ALTER TABLE "sequence_revision" ADD CONSTRAINT "sequence_revision_account_id_sequence_id_fkey" FOREIGN KEY ("account_id", "sequence_id") REFERENCES "sequence"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
