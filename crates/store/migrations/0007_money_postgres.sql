-- Money that moved is never edited.

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$;
CREATE TRIGGER credit_movements_stay BEFORE UPDATE OR DELETE ON credit_movements
FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER revenue_stays BEFORE UPDATE OR DELETE ON revenue
FOR EACH ROW EXECUTE FUNCTION append_only();
