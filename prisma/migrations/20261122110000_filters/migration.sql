-- AlterEnum
ALTER TYPE "campaign_error" ADD VALUE 'AUDIENCE_INVALID';

-- AlterTable: nullable columns without a default, so that no row is rewritten.
ALTER TABLE "contact_field" ADD COLUMN "number" numeric, ADD COLUMN "day" DATE;
