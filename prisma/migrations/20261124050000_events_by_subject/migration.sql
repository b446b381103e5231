-- Only new partitions and the default one get the indexes: building them on the others would block writes to the log. Reads of
-- these partitions use the older indexes until they are dropped.

CREATE INDEX "outbox_event_type_idx" ON ONLY "outbox_event" ("account_id", "type", "position") WHERE "position" IS NOT NULL;
CREATE INDEX "outbox_event_default_type_idx" ON "outbox_event_default" ("account_id", "type", "position") WHERE "position" IS NOT NULL;
ALTER INDEX "outbox_event_type_idx" ATTACH PARTITION "outbox_event_default_type_idx";

CREATE INDEX "outbox_event_contact_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'contactId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'contactId') IS NOT NULL;
CREATE INDEX "outbox_event_default_contact_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'contactId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'contactId') IS NOT NULL;
ALTER INDEX "outbox_event_contact_idx" ATTACH PARTITION "outbox_event_default_contact_idx";

CREATE INDEX "outbox_event_tag_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'tagId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'tagId') IS NOT NULL;
CREATE INDEX "outbox_event_default_tag_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'tagId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'tagId') IS NOT NULL;
ALTER INDEX "outbox_event_tag_idx" ATTACH PARTITION "outbox_event_default_tag_idx";

CREATE INDEX "outbox_event_form_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'formId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'formId') IS NOT NULL;
CREATE INDEX "outbox_event_default_form_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'formId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'formId') IS NOT NULL;
ALTER INDEX "outbox_event_form_idx" ATTACH PARTITION "outbox_event_default_form_idx";

CREATE INDEX "outbox_event_funnel_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'funnelId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'funnelId') IS NOT NULL;
CREATE INDEX "outbox_event_default_funnel_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'funnelId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'funnelId') IS NOT NULL;
ALTER INDEX "outbox_event_funnel_idx" ATTACH PARTITION "outbox_event_default_funnel_idx";

CREATE INDEX "outbox_event_sequence_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'sequenceId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'sequenceId') IS NOT NULL;
CREATE INDEX "outbox_event_default_sequence_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'sequenceId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'sequenceId') IS NOT NULL;
ALTER INDEX "outbox_event_sequence_idx" ATTACH PARTITION "outbox_event_default_sequence_idx";

CREATE INDEX "outbox_event_campaign_idx" ON ONLY "outbox_event" ("account_id", "type", ("data" ->> 'campaignId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'campaignId') IS NOT NULL;
CREATE INDEX "outbox_event_default_campaign_idx" ON "outbox_event_default" ("account_id", "type", ("data" ->> 'campaignId'), "position") WHERE "position" IS NOT NULL AND ("data" ->> 'campaignId') IS NOT NULL;
ALTER INDEX "outbox_event_campaign_idx" ATTACH PARTITION "outbox_event_default_campaign_idx";
