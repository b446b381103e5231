-- CreateTable
CREATE TABLE "uncounted_visit" (
    "account_id" INTEGER NOT NULL,
    "funnel_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "step_id" INTEGER NOT NULL,
    "visitor" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "uncounted_visit_pkey" PRIMARY KEY ("account_id","funnel_id","id")
);

-- CreateTable
CREATE TABLE "step_visitor" (
    "account_id" INTEGER NOT NULL,
    "funnel_id" INTEGER NOT NULL,
    "visitor" BIGINT NOT NULL,
    "step_id" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "step_visitor_pkey" PRIMARY KEY ("account_id","funnel_id","visitor","step_id")
);

-- AddForeignKey
ALTER TABLE "uncounted_visit" ADD CONSTRAINT "uncounted_visit_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "step_visitor" ADD CONSTRAINT "step_visitor_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- All rows are removed again within minutes.
ALTER TABLE "uncounted_visit" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- The visits of existing accounts are counted by a job.
INSERT INTO "figure_fill" ("account_id", "source", "complete_since") SELECT "id", 'step_visitor', now() FROM "account";
