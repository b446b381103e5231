-- The planner takes an account that is newer than its statistics for one row. Beside an account of 1,000,000 contacts, the
-- default would analyse the table after 50,000 changes. ANALYZE reads a sample, which does not grow with the table.
ALTER TABLE "contact" SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE "contact_tag" SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE "contact_field" SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
