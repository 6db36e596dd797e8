-- The page that the link of a registration follows, with alerts: the address of the mail asked for them on a report. Null for
-- every other link.

ALTER TABLE email_tokens ADD COLUMN followed_url TEXT;
