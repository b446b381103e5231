-- CreateTable
CREATE TABLE "figure_part_delta" (
    "account_id" INTEGER NOT NULL,
    "figure" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "part" TEXT NOT NULL,
    "value" BIGINT NOT NULL,

    CONSTRAINT "figure_part_delta_pkey" PRIMARY KEY ("account_id","figure","object","at","id")
);

-- CreateTable
CREATE TABLE "figure_part_total" (
    "account_id" INTEGER NOT NULL,
    "figure" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "minutes" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "hash" UUID NOT NULL,
    "part" TEXT NOT NULL,
    "value" BIGINT NOT NULL,

    CONSTRAINT "figure_part_total_pkey" PRIMARY KEY ("account_id","figure","object","minutes","at","hash")
);

-- AddForeignKey
ALTER TABLE "figure_part_delta" ADD CONSTRAINT "figure_part_delta_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "figure_part_total" ADD CONSTRAINT "figure_part_total_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The job that compacts the figures deletes totals that became 0.
CREATE INDEX "figure_part_total_zero_idx" ON "figure_part_total" ("account_id") WHERE "value" = 0;

-- The submissions and clicks of existing accounts are counted by a job.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since")
SELECT a."id", s."name", now() FROM "account" a CROSS JOIN (VALUES ('submission_parts'), ('mail_click_parts')) s("name");
