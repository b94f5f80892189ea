-- Makes Lamplighter's roles and database on a PostgreSQL server. Run it once, as the server's superuser:
--
--   sudo -u postgres psql --file deploy/postgres/roles.sql
--
-- Then set a password for each role; psql asks for it and sends its SCRAM hash:
--
--   sudo -u postgres psql --command '\password lamplighter' --command '\password lamplighter_feed'
--
-- In pg_hba.conf, admit the machines of your network, only with TLS and SCRAM:
--
--   hostssl lamplighter lamplighter,lamplighter_feed 10.0.0.0/24 scram-sha-256
--
-- The service connects as postgres://lamplighter@HOST/lamplighter?sslmode=verify-full&sslrootcert=FILE.
\set ON_ERROR_STOP on

-- Owns only its tables: it can't create databases or roles, and is no superuser.
CREATE ROLE lamplighter LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
-- Lets `lamplighter doctor` see how far standbys are behind.
GRANT pg_read_all_stats TO lamplighter;
-- Reads the hashes and grants that a broker's gate needs: see feed.sql.
CREATE ROLE lamplighter_feed LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE CONNECTION LIMIT 20;

-- Ids are compared by their bytes, and names are UTF-8.
CREATE DATABASE lamplighter OWNER lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
REVOKE ALL ON DATABASE lamplighter FROM PUBLIC;
GRANT CONNECT ON DATABASE lamplighter TO lamplighter_feed;
