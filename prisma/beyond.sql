-- Database objects that Prisma's schema language cannot express, each with its reason. `npm run generate` writes the baseline from
-- the Prisma schema and this file: a table of which a partition is created here is partitioned by `created_at`.
--
-- A statement that makes a pending list of a GIN index longer than its limit merges it into the index, which takes up to 350 ms at
-- the default of 4 MB. Workers merge the lists every two seconds, so that no request does. Settings of autovacuum differ from its
-- default, a fifth of the rows, for the reasons in src/docs/growth.md.

-- Trigrams, for searches by a part of a text.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- Lets a GIN index start with the account number.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- accounts

-- A key has 1 to 18 scopes, or `full_access` alone.
ALTER TABLE api_key ADD CONSTRAINT api_key_scopes_check
  CHECK (cardinality(scopes) BETWEEN 1 AND 18 AND ('full_access' <> ALL (scopes) OR cardinality(scopes) = 1));
-- GIN: entries of the audit log by an object, within the account.
CREATE INDEX audit_entry_objects_idx ON audit_entry USING gin
  (account_id, objects)
  WITH (gin_pending_list_limit = 32768);
-- Few rows that change with each request.
ALTER TABLE quota_usage SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- events

-- Partitioned, so that old events are dropped with their partition instead of being deleted one by one. The default partition takes
-- rows that fit no other one, so that no event is refused because a partition is missing.
CREATE TABLE outbox_event_default PARTITION OF outbox_event DEFAULT;
-- Partial: the sequencer finds the few events without a position, however many have one.
CREATE INDEX outbox_event_unstamped_idx ON outbox_event (id) WHERE position IS NULL;
-- Partial: pages of events of some types. An event without a position is not entered.
CREATE INDEX outbox_event_type_idx ON outbox_event (account_id, type, position) WHERE position IS NOT NULL;
-- Partial, over an expression: pages of events about a contact, by type.
CREATE INDEX outbox_event_contact_idx ON outbox_event (account_id, type, (data ->> 'contactId'), position)
  WHERE position IS NOT NULL AND data ->> 'contactId' IS NOT NULL;
-- Partial, over an expression: pages of events about a tag, by type.
CREATE INDEX outbox_event_tag_idx ON outbox_event (account_id, type, (data ->> 'tagId'), position)
  WHERE position IS NOT NULL AND data ->> 'tagId' IS NOT NULL;
-- Partial, over an expression: pages of events about a form, by type.
CREATE INDEX outbox_event_form_idx ON outbox_event (account_id, type, (data ->> 'formId'), position)
  WHERE position IS NOT NULL AND data ->> 'formId' IS NOT NULL;
-- Partial, over an expression: pages of events about a funnel, by type.
CREATE INDEX outbox_event_funnel_idx ON outbox_event (account_id, type, (data ->> 'funnelId'), position)
  WHERE position IS NOT NULL AND data ->> 'funnelId' IS NOT NULL;
-- Partial, over an expression: pages of events about a sequence, by type.
CREATE INDEX outbox_event_sequence_idx ON outbox_event (account_id, type, (data ->> 'sequenceId'), position)
  WHERE position IS NOT NULL AND data ->> 'sequenceId' IS NOT NULL;
-- Partial, over an expression: pages of events about a campaign, by type.
CREATE INDEX outbox_event_campaign_idx ON outbox_event (account_id, type, (data ->> 'campaignId'), position)
  WHERE position IS NOT NULL AND data ->> 'campaignId' IS NOT NULL;
-- Partial: due deliveries to the URL of each webhook are found across accounts, however many deliveries are complete or meant for
-- a former URL.
CREATE INDEX webhook_delivery_pending_idx ON webhook_delivery (account_id, webhook_id, generation, due_at, id)
  WHERE state = 'PENDING';
-- The only row: the position of the last event.
INSERT INTO event_counter DEFAULT VALUES;
-- Few rows that change with each batch of events.
ALTER TABLE log_reader SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE event_counter SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- contacts

-- Over an expression: e-mail addresses are unique in the account regardless of case, and stored as given.
CREATE UNIQUE INDEX contact_account_id_lower_email_key ON contact (account_id, lower(email));
-- Trigrams over an expression: search by words in the e-mail address, names, company and phone number, within the account.
CREATE INDEX contact_words_idx ON contact USING gin
  (account_id, lower(' ' || email || ' ' || first_name || ' ' || last_name || ' ' || company_name || ' ' || phone) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Trigrams: contacts by telephone number, company, city and country, within the account.
CREATE INDEX contact_details_idx ON contact USING gin
  (account_id, lower(phone) gin_trgm_ops, lower(company_name) gin_trgm_ops, lower(city) gin_trgm_ops, lower(country) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression: contacts in the order of their first name, regardless of case.
CREATE INDEX contact_first_name_idx ON contact (account_id, lower(first_name), id);
-- Over an expression: contacts in the order of their last name, regardless of case.
CREATE INDEX contact_last_name_idx ON contact (account_id, lower(last_name), id);
-- Over an expression: tags in the order of their name, regardless of case.
CREATE INDEX tag_name_idx ON tag (account_id, lower(name), id);
-- Over an expression: values of a custom field by equality and beginning. The whole value may be too long for an index row.
CREATE INDEX contact_field_value_idx ON contact_field (account_id, custom_field_id, left(lower(value), 100) text_pattern_ops, contact_id);
-- Trigrams: values of a custom field by a part.
CREATE INDEX contact_field_search_idx ON contact_field USING gin
  (account_id, custom_field_id, lower(value) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Partial: only values of the type NUMBER.
CREATE INDEX contact_field_number_idx ON contact_field (account_id, custom_field_id, number, contact_id) WHERE number IS NOT NULL;
-- Partial: only values of the type DATE.
CREATE INDEX contact_field_day_idx ON contact_field (account_id, custom_field_id, day, contact_id) WHERE day IS NOT NULL;
-- Copies the time at which the contact was created into its tags, by which lists of a tag are sorted.
CREATE FUNCTION contact_tag_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT c.created_at INTO NEW.contact_created_at FROM contact c
  WHERE c.account_id = NEW.account_id AND c.id = NEW.contact_id;
  -- Without a contact, the foreign key rejects the row.
  NEW.contact_created_at := coalesce(NEW.contact_created_at, NEW.created_at);
  RETURN NEW;
END $$;
CREATE TRIGGER contact_tag_order BEFORE INSERT OR UPDATE OF account_id, contact_id, contact_created_at ON contact_tag
  FOR EACH ROW EXECUTE FUNCTION contact_tag_order();
-- Changes the copies with that time.
CREATE FUNCTION contact_created_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contact_tag ct SET contact_created_at = NEW.created_at
  WHERE ct.account_id = NEW.account_id AND ct.contact_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_created_at AFTER UPDATE OF created_at ON contact
  FOR EACH ROW WHEN (OLD.created_at IS DISTINCT FROM NEW.created_at) EXECUTE FUNCTION contact_created_at();

-- Space for new versions of rows on the same page, so that their indexes stay as they are. Imports and bulk jobs change contacts, and
-- lists read past dead entries. The planner takes an account that is newer than its statistics for one row: beside an account of
-- 1,000,000 contacts, the default would analyse the table after 50,000 changes. ANALYZE reads a sample, which does not grow with
-- the table.
ALTER TABLE contact SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE contact_tag SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE contact_field SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
-- All rows of these tables are removed again within minutes. They are small, so they are vacuumed without pauses.
ALTER TABLE contact_import_chunk SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE bulk_job_chunk SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- mail, sequences, campaigns

-- Partitioned, so that old opens and clicks are dropped with their partition.
CREATE TABLE mail_open_default PARTITION OF mail_open DEFAULT;
CREATE TABLE mail_click_default PARTITION OF mail_click DEFAULT;
-- Partial: the opens of a contact by people. The contact may have been deleted.
CREATE INDEX mail_open_timeline_idx ON mail_open (account_id, contact_id, created_at DESC, id DESC)
  WHERE contact_id IS NOT NULL AND NOT is_bot;
-- Partial: the clicks of a contact by people. The contact may have been deleted.
CREATE INDEX mail_click_timeline_idx ON mail_click (account_id, contact_id, created_at DESC, id DESC)
  WHERE contact_id IS NOT NULL AND NOT is_bot;
-- Partial, over an expression: finds the due messages of a source in order, however many were sent before.
CREATE INDEX mail_recipient_queue_idx ON mail_recipient (account_id, coalesce(campaign_id, 0), due_at, id) WHERE state = 'QUEUED';
-- Partial: finds the claims of workers whose lease has expired among the few claimed rows.
CREATE INDEX mail_recipient_busy_idx ON mail_recipient (account_id, coalesce(campaign_id, 0), worker_id)
  WHERE state IN ('CLAIMED', 'HANDING_OVER');
-- Partial: counts the few messages that bounced or led to an unsubscription, by campaign, sequence and stage.
CREATE INDEX mail_recipient_losses_idx ON mail_recipient (account_id, campaign_id, sequence_id, stage_id)
  WHERE unsubscribed_at IS NOT NULL OR state = 'BOUNCED';
-- Partial: workers look for due sources of all accounts. Paused sources are not included.
CREATE INDEX mail_source_due_idx ON mail_source (due_at) WHERE is_open;
-- Over an expression: an address is suppressed once in the account, regardless of case.
CREATE UNIQUE INDEX suppression_account_id_lower_email_key ON suppression (account_id, lower(email));
-- Trigrams over an expression: suppressions by a part of the address, within the account.
CREATE INDEX suppression_words_idx ON suppression USING gin
  (account_id, lower(' ' || email) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- An enrolment that ended before its last stage has a reason, and no other one.
ALTER TABLE enrolment ADD CONSTRAINT enrolment_end_reason_check CHECK ((state = 'ENDED') = (end_reason IS NOT NULL));
-- Partial: one active enrolment per contact and sequence, and any number of ended ones.
CREATE UNIQUE INDEX enrolment_live_key ON enrolment (account_id, contact_id, sequence_id) WHERE state = 'ACTIVE';
-- Partial: audiences and counts read the contacts of a sequence from the index alone.
CREATE INDEX enrolment_sequence_idx ON enrolment (account_id, sequence_id, contact_id) WHERE state = 'ACTIVE';
-- Partial: the ends of the enrolments of a contact. Active ones have no end.
CREATE INDEX enrolment_ended_idx ON enrolment (account_id, contact_id, ended_at DESC, id DESC) WHERE ended_at IS NOT NULL;
-- Partial: due enrolments are found per account. Only active enrolments can be due.
CREATE INDEX enrolment_due_idx ON enrolment (account_id, due_at) WHERE state = 'ACTIVE' AND due_at IS NOT NULL;
-- Partial: the scheduler looks for due campaigns of all accounts. Only scheduled campaigns can be due.
CREATE INDEX campaign_due_idx ON campaign (scheduled_for) WHERE status = 'SCHEDULED';
-- Each message is changed three times, and claims read past dead entries of its queue. A fifth of 20,000,000 rows would be
-- 4,000,000 dead ones.
ALTER TABLE mail_recipient SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each stage changes an enrolment twice, and the scheduler reads past dead entries of due ones.
ALTER TABLE enrolment SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each sent message changes a row. No index has its times, so the new version stays on the page if the page has space.
ALTER TABLE latest_message SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
-- Few rows that change with each claim or each recorded batch.
ALTER TABLE mail_source SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE mail_worker SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE campaign SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- figures

-- Partial: the job that compacts the figures finds the few totals that became 0.
CREATE INDEX figure_part_total_zero_idx ON figure_part_total (account_id) WHERE value = 0;
-- All rows of these tables are removed again within minutes. They are small, so they are vacuumed without pauses.
ALTER TABLE figure_delta SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE figure_part_delta SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- finance

-- Deleting a contact keeps its customer: SET NULL for one column of the key only.
ALTER TABLE customer DROP CONSTRAINT customer_account_id_contact_id_fkey,
  ADD CONSTRAINT customer_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
  ON DELETE SET NULL (contact_id) ON UPDATE NO ACTION;
-- Over an expression: one customer per address in the account, regardless of case.
CREATE UNIQUE INDEX customer_account_id_lower_email_key ON customer (account_id, lower(email));
-- Trigrams over an expression: customers and their purchases by words, within the account.
CREATE INDEX customer_search_idx ON customer USING gin
  (account_id, lower(' ' || email || ' ' || first_name || ' ' || last_name || ' ' || company_name || ' ' || vat_number) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression: customers in the order of their last names, regardless of case.
CREATE INDEX customer_last_name_idx ON customer (account_id, lower(last_name), id);
-- Includes currency and amount: totals of orders by status and period are read from the index alone.
CREATE INDEX order_sales_idx ON "order" (account_id, status, created_at DESC, id DESC) INCLUDE (currency, amount);
-- Includes status, currency and amount: the purchases of contacts are read from the index alone.
CREATE INDEX order_customer_idx ON "order" (account_id, customer_id, created_at DESC, id DESC) INCLUDE (status, currency, amount);
-- Partial: sales of a funnel are read from the orders that funnels created.
CREATE INDEX order_step_idx ON "order" (account_id, step_id, created_at) WHERE step_id IS NOT NULL;
-- Trigrams over an expression: orders by a part of the shop's id, within the account.
CREATE INDEX order_search_idx ON "order" USING gin
  (account_id, lower(' ' || id_order) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Partial: the few refunds of orders, with their amounts.
CREATE INDEX transaction_refunded_idx ON transaction (account_id, order_id)
  INCLUDE (currency, amount)
  WHERE status = 'REFUNDED' AND order_id IS NOT NULL;
-- Trigrams over an expression: transactions by a part of the payment provider's id, within the account.
CREATE INDEX transaction_search_idx ON transaction USING gin
  (account_id, lower(' ' || id_transaction) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Includes currency and amount: the credit notes of orders are read from the index alone.
CREATE INDEX credit_note_order_idx ON credit_note (account_id, order_id) INCLUDE (currency, amount_incl_vat);
-- Trigrams over an expression: invoices by their number and the buyer at the time of issue, within the account.
CREATE INDEX invoice_search_idx ON invoice USING gin
  (account_id, lower(' ' || prefix || lpad(number::text, greatest(6, length(number::text)), '0') || ' ' || prefix || number::text
    || ' ' || number::text || ' ' || coalesce(buyer ->> 'email', '') || ' ' || coalesce(buyer ->> 'name', '')
    || ' ' || coalesce(buyer ->> 'companyName', '')) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);

-- forms, funnels

-- GIN: submissions by an exact answer, for any option of a multiple choice, within the account and question.
CREATE INDEX answer_values_idx ON answer USING gin
  (account_id, question_id, "values")
  WITH (gin_pending_list_limit = 32768);
-- Trigrams: submissions by a part of an answer, within the account and question.
CREATE INDEX answer_search_idx ON answer USING gin
  (account_id, question_id, search gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression: submissions by status. The name of an enum value cannot be indexed.
CREATE INDEX submission_status_idx ON submission (account_id, ((status = 'COMPLETED')::integer), id);
-- Over an expression: submissions by completion. Those in progress have no time.
CREATE INDEX submission_completed_idx ON submission (account_id, coalesce(completed_at, '1970-01-01 00:00:00+00'::timestamptz), id);
-- Partitioned, so that a month of visits is dropped at once. The default partition takes rows that fit no other one.
CREATE TABLE visit_default PARTITION OF visit DEFAULT;
-- All rows are removed again within minutes.
ALTER TABLE uncounted_visit SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- Partial: the visits of a contact, for its timeline and its deletion. Most visits have no contact.
CREATE INDEX visit_timeline_idx ON visit (account_id, contact_id, created_at DESC, id DESC) WHERE contact_id IS NOT NULL;
