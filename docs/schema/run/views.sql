-- Views over the tables in this folder, for DuckDB.
-- In this folder:   duckdb -init views.sql
-- Elsewhere:        duckdb -cmd "SET VARIABLE acapscan_tables = 'FOLDER'" -cmd '.read FOLDER/views.sql'
-- FOLDER may be s3://BUCKET/KEY, after CREATE SECRET. The views follow the variable.
SET VARIABLE acapscan_manifest = (SELECT if(count(*) > 0, any_value(file), error('The tables are not in this folder. ' ||
  'Start DuckDB in their folder, or first run: SET VARIABLE acapscan_tables = ''FOLDER'''))
  FROM glob(coalesce(getvariable('acapscan_tables') || '/', '') || '_manifest.json*'));

-- One row for an input file.
CREATE OR REPLACE VIEW inputs AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'inputs/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a capture of /robots.txt, failures and redirects included.
CREATE OR REPLACE VIEW robots AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'robots/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a captured page.
CREATE OR REPLACE VIEW pages AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'pages/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a statement, or a field that is only recorded.
CREATE OR REPLACE VIEW directives AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'directives/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a site that was seen, with or without a robots.txt.
CREATE OR REPLACE VIEW adoption AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'adoption/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a site with a robots.txt, and a crawler.
CREATE OR REPLACE VIEW agents AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'agents/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a site or a page, an agent, a purpose or none, and a usage.
CREATE OR REPLACE VIEW permissions AS
SELECT * FROM read_parquet(coalesce(getvariable('acapscan_tables') || '/', '') || 'permissions/**/*.parquet',
  hive_partitioning = true, hive_types_autocast = false);

-- One row for a conflict.
CREATE OR REPLACE VIEW conflicts AS
SELECT
  CAST(NULL AS VARCHAR) AS site,
  CAST(NULL AS VARCHAR) AS url_surtkey,
  CAST(NULL AS VARCHAR) AS url,
  CAST(NULL AS VARCHAR) AS url_host_name,
  CAST(NULL AS VARCHAR) AS url_host_name_reversed,
  CAST(NULL AS VARCHAR) AS url_host_tld,
  CAST(NULL AS VARCHAR) AS url_host_registered_domain,
  CAST(NULL AS VARCHAR) AS surt_host_name,
  CAST(NULL AS VARCHAR) AS url_protocol,
  CAST(NULL AS INTEGER) AS url_port,
  CAST(NULL AS VARCHAR) AS url_path,
  CAST(NULL AS VARCHAR) AS url_query,
  CAST(NULL AS TIMESTAMP WITH TIME ZONE) AS fetch_time,
  CAST(NULL AS SMALLINT) AS fetch_status,
  CAST(NULL AS VARCHAR) AS fetch_redirect,
  CAST(NULL AS VARCHAR) AS content_digest,
  CAST(NULL AS VARCHAR) AS content_mime_type,
  CAST(NULL AS VARCHAR) AS content_mime_detected,
  CAST(NULL AS VARCHAR) AS content_languages,
  CAST(NULL AS VARCHAR) AS content_truncated,
  CAST(NULL AS VARCHAR) AS warc_segment,
  CAST(NULL AS VARCHAR) AS warc_filename,
  CAST(NULL AS BIGINT) AS warc_record_offset,
  CAST(NULL AS BIGINT) AS warc_record_length,
  CAST(NULL AS VARCHAR) AS kind,
  CAST(NULL AS VARCHAR) AS severity,
  CAST(NULL AS VARCHAR) AS agent,
  CAST(NULL AS VARCHAR) AS purpose,
  CAST(NULL AS VARCHAR) AS usage,
  CAST(NULL AS VARCHAR) AS example_url,
  CAST(NULL AS VARCHAR) AS first_id,
  CAST(NULL AS VARCHAR) AS first_source,
  CAST(NULL AS INTEGER) AS first_line,
  CAST(NULL AS BIGINT) AS first_byte_offset,
  CAST(NULL AS VARCHAR) AS first_raw,
  CAST(NULL AS VARCHAR) AS first_sense,
  CAST(NULL AS VARCHAR) AS first_decision,
  CAST(NULL AS VARCHAR) AS second_id,
  CAST(NULL AS VARCHAR) AS second_source,
  CAST(NULL AS INTEGER) AS second_line,
  CAST(NULL AS BIGINT) AS second_byte_offset,
  CAST(NULL AS VARCHAR) AS second_raw,
  CAST(NULL AS VARCHAR) AS second_sense,
  CAST(NULL AS VARCHAR) AS second_decision,
  CAST(NULL AS VARCHAR) AS reading,
  CAST(NULL AS VARCHAR) AS winner,
  CAST(NULL AS VARCHAR) AS rule,
  CAST(NULL AS BOOLEAN) AS approximate,
  CAST(NULL AS VARCHAR) AS crawl
WHERE false;
