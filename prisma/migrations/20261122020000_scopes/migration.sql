-- Full access has a name, and scopes are a set: a list that was left empty by mistake gives nothing away.
UPDATE "api_key" SET "scopes" = CASE WHEN cardinality("scopes") = 0 THEN ARRAY['full_access']
  ELSE ARRAY(SELECT DISTINCT s FROM unnest("scopes") AS s ORDER BY s) END;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_scopes_check"
  CHECK (cardinality("scopes") BETWEEN 1 AND 18 AND ('full_access' <> ALL ("scopes") OR cardinality("scopes") = 1));
UPDATE "webhook" SET "scopes" = CASE WHEN cardinality("scopes") = 0 THEN ARRAY['full_access']
  ELSE ARRAY(SELECT DISTINCT s FROM unnest("scopes") AS s ORDER BY s) END;

-- Counts the addresses that a webhook has had: bodies made for one are not sent to another.
ALTER TABLE "webhook" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "webhook_delivery" ADD COLUMN "generation" INTEGER NOT NULL DEFAULT 1;

-- The scopes that reading a body takes. What bodies hold that were made before is not known, so those take them all.
-- A default of the new column costs no rewrite of the table.
ALTER TABLE "webhook_delivery" ADD COLUMN "needs" TEXT[] DEFAULT ARRAY['account:read', 'campaigns:read',
  'contacts:read', 'events:read', 'finance:read', 'forms:read', 'funnels:read', 'mail:read', 'sequences:read']::TEXT[];
ALTER TABLE "webhook_delivery" ALTER COLUMN "needs" SET DEFAULT ARRAY[]::TEXT[];
