-- Lets lamplighter_feed read what a broker's gate has to know, column by column: hashes, and who may do what. Run it as
-- the tables' owner, once there are tables, and again after an upgrade:
--
--   psql --file deploy/postgres/feed.sql 'postgres://lamplighter@HOST/lamplighter'
\set ON_ERROR_STOP on

GRANT USAGE ON SCHEMA public TO lamplighter_feed;
GRANT SELECT (productKey, secretHash) ON product TO lamplighter_feed;
GRANT SELECT (appId, secretHash) ON app TO lamplighter_feed;
GRANT SELECT (name, secretHash, role) ON service TO lamplighter_feed;
GRANT SELECT (did, secretHash, certificatesFrom) ON device TO lamplighter_feed;
GRANT SELECT (terminalId, appId) ON terminal TO lamplighter_feed;
GRANT SELECT (sessionId, uid, appId, terminalId, tokenHash, expiresAt, endedAt, oldTokenHash, oldTokenUntil,
    lastSeenAt)
    ON session TO lamplighter_feed;
GRANT SELECT (keyId, appId, terminalId, tokenHash, oldTokenHash, oldTokenUntil, createdAt, expiresAt, endedAt)
    ON apiKey TO lamplighter_feed;
GRANT SELECT (did, connection) ON status TO lamplighter_feed;
