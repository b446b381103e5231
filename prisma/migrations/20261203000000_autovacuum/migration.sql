-- By default, a table is vacuumed when a fifth of its rows is dead. Reasons for other settings are in src/docs/growth.md.

-- Each message is changed three times, and claims read past dead entries of its queue. A fifth of 20,000,000 rows would be
-- 4,000,000 dead ones.
ALTER TABLE "mail_recipient" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each stage changes an enrolment twice, and the scheduler reads past dead entries of due ones.
ALTER TABLE "enrolment" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Imports and bulk jobs change contacts, and lists read past dead entries.
ALTER TABLE "contact" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Tables from which all rows are removed again within minutes. They are small, so they are vacuumed without pauses.
ALTER TABLE "figure_delta" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "figure_part_delta" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "contact_import_chunk" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "bulk_job_chunk" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- Few rows that change with each claim or each recorded batch.
ALTER TABLE "mail_source" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "campaign" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "quota_usage" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "mail_worker" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "log_reader" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "event_counter" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
