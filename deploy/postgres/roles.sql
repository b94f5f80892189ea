-- Makes the roles and the database of Lamplighter on a server of PostgreSQL's. Run it once, as its superuser:
--
--   sudo -u postgres psql --file deploy/postgres/roles.sql
--
-- then give both roles passwords, which psql asks for and sends as SCRAM hashes:
--
--   sudo -u postgres psql --command '\password lamplighter' --command '\password lamplighter_feed'
--
-- In pg_hba.conf, for machines of a network of yours, by TLS and SCRAM alone:
--
--   hostssl lamplighter lamplighter,lamplighter_feed 10.0.0.0/24 scram-sha-256
--
-- The service connects as postgres://lamplighter@HOST/lamplighter?sslmode=verify-full&sslrootcert=FILE.
\set ON_ERROR_STOP on

-- Owns its tables and nothing else: it makes no databases and no roles, and is no superuser.
CREATE ROLE lamplighter LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
-- So that `lamplighter doctor` sees how far standbys are behind.
GRANT pg_read_all_stats TO lamplighter;
-- Reads what a broker's gate has to know, hashes and grants: see feed.sql.
CREATE ROLE lamplighter_feed LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 20;

-- Ids are compared by their bytes, and names are UTF-8.
CREATE DATABASE lamplighter OWNER lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
REVOKE ALL ON DATABASE lamplighter FROM PUBLIC;
GRANT CONNECT ON DATABASE lamplighter TO lamplighter_feed;
