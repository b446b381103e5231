-- AlterTable
ALTER TABLE "email" ADD COLUMN "render_error" TEXT,
ADD COLUMN "render_failures" SMALLINT NOT NULL DEFAULT 0;
