-- Lets lamplighter_feed read only the columns that a broker's gate needs: hashes, and who may do what. Run it as the
-- tables' owner, once the tables exist, and again after each upgrade:
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
    lastSeenAt, loginTime, clientId)
    ON session TO lamplighter_feed;
GRANT SELECT (keyId, appId, terminalId, tokenHash, oldTokenHash, oldTokenUntil, createdAt, expiresAt, endedAt)
    ON apiKey TO lamplighter_feed;
GRANT SELECT (did, connection) ON status TO lamplighter_feed;
