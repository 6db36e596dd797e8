-- Money that moved is never edited.

CREATE TRIGGER credit_movements_stay BEFORE UPDATE ON credit_movements
BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END;
CREATE TRIGGER credit_movements_remain BEFORE DELETE ON credit_movements
BEGIN SELECT RAISE(ABORT, 'movements are append-only'); END;
CREATE TRIGGER revenue_stays BEFORE UPDATE ON revenue
BEGIN SELECT RAISE(ABORT, 'revenue is append-only'); END;
CREATE TRIGGER revenue_remains BEFORE DELETE ON revenue
BEGIN SELECT RAISE(ABORT, 'revenue is append-only'); END;
