-- JSON: the modal with which the bot responded (bots/modals).
ALTER TABLE interactions ADD COLUMN modal TEXT;
-- Of a submitted modal: the interaction whose response opened it. A modal is submitted once (bots/modal-submit).
ALTER TABLE interactions ADD COLUMN opened_by TEXT;
CREATE UNIQUE INDEX interactions_by_modal ON interactions (opened_by) WHERE opened_by IS NOT NULL;
