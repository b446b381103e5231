-- AlterTable
ALTER TABLE "contact_tag" ADD COLUMN     "contact_created_at" TIMESTAMPTZ(3);

-- The database keeps the copy, so that it is right whatever version of the server writes the row.
CREATE FUNCTION "contact_tag_order"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT c.created_at INTO NEW.contact_created_at FROM contact c
  WHERE c.account_id = NEW.account_id AND c.id = NEW.contact_id;
  -- Without a contact, the foreign key rejects the row.
  NEW.contact_created_at := coalesce(NEW.contact_created_at, NEW.created_at);
  RETURN NEW;
END $$;

CREATE TRIGGER "contact_tag_order" BEFORE INSERT OR UPDATE OF "account_id", "contact_id", "contact_created_at" ON "contact_tag"
FOR EACH ROW EXECUTE FUNCTION "contact_tag_order"();

CREATE FUNCTION "contact_created_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contact_tag ct SET contact_created_at = NEW.created_at
  WHERE ct.account_id = NEW.account_id AND ct.contact_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER "contact_created_at" AFTER UPDATE OF "created_at" ON "contact"
FOR EACH ROW WHEN (OLD.created_at IS DISTINCT FROM NEW.created_at) EXECUTE FUNCTION "contact_created_at"();
