-- Import of contacts from files: what was asked for, the rows that wait for their turn, and what was wrong with lines.
-- CreateEnum
CREATE TYPE "import_status" AS ENUM ('WAITING', 'UPLOADING', 'RUNNING', 'COMPLETED', 'FAILED');

-- CreateTable
CREATE TABLE "contact_import" (
    "account_id" INTEGER NOT NULL,
    "id" SERIAL NOT NULL,
    "file_name" VARCHAR(255) NOT NULL,
    "status" "import_status" NOT NULL,
    "options" JSONB NOT NULL,
    "columns" JSONB NOT NULL DEFAULT '[]',
    "upload" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT NOT NULL DEFAULT '',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "rows_total" INTEGER NOT NULL DEFAULT 0,
    "rows_done" INTEGER NOT NULL DEFAULT 0,
    "created" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "contact_import_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "contact_import_chunk" (
    "account_id" INTEGER NOT NULL,
    "import_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "rows" TEXT NOT NULL,

    CONSTRAINT "contact_import_chunk_pkey" PRIMARY KEY ("account_id","import_id","number")
);

-- CreateTable
CREATE TABLE "contact_import_error" (
    "account_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "import_id" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "column" TEXT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "contact_import_error_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "contact_import_account_id_created_at_id_idx" ON "contact_import"("account_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "contact_import_error_account_id_import_id_line_id_idx" ON "contact_import_error"("account_id", "import_id", "line", "id");

-- AddForeignKey
ALTER TABLE "contact_import" ADD CONSTRAINT "contact_import_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_import_chunk" ADD CONSTRAINT "contact_import_chunk_account_id_import_id_fkey" FOREIGN KEY ("account_id", "import_id") REFERENCES "contact_import"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contact_import_error" ADD CONSTRAINT "contact_import_error_account_id_import_id_fkey" FOREIGN KEY ("account_id", "import_id") REFERENCES "contact_import"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
