-- CreateTable
CREATE TABLE "used_report" (
    "hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_report_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "used_report_used_at_idx" ON "used_report"("used_at");
