-- The reason of an interaction is stored as a code, from which the server makes the text. Codes: offline, unreachable,
-- endpoint_failed, no_answer, no_follow_up, removed.
ALTER TABLE interactions ADD COLUMN reason_code TEXT;
-- Only with endpoint_failed: a sentence that says what the endpoint did.
ALTER TABLE interactions ADD COLUMN reason_detail TEXT;

UPDATE interactions SET reason_code = CASE reason
    WHEN 'The bot is not connected.' THEN 'offline'
    WHEN 'The bot could not be reached.' THEN 'unreachable'
    WHEN 'The bot did not answer within 3 seconds.' THEN 'no_answer'
    WHEN 'The bot did not follow up within 15 minutes.' THEN 'no_follow_up'
    WHEN 'The bot was removed from the server.' THEN 'removed'
    ELSE 'endpoint_failed' END
  WHERE reason IS NOT NULL;
-- A first response that was not sent in time had no stored reason.
UPDATE interactions SET reason_code = 'no_answer' WHERE state = 'timed_out' AND reason IS NULL;
UPDATE interactions SET reason_detail = reason WHERE reason_code = 'endpoint_failed';
-- The column `reason` stays: nodes of the previous version still write it during an upgrade.
