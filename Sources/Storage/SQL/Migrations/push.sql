ALTER TABLE app ADD COLUMN secrets BLOB;

ALTER TABLE delivery ADD COLUMN terminalId TEXT;

CREATE INDEX deliveryTerminal ON delivery (terminalId) WHERE terminalId IS NOT NULL;
