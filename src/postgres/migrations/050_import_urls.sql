-- What URLs answered, so that an unchanged file is not imported again.

alter table import_run add column url_digest bytea;
alter table import_run add column etag text;
alter table import_run add column last_modified text;

comment on column import_run.url_digest is
  'SHA-256 of the URL without user and password, and of what is done with the file; null: it came from no URL.';
comment on column import_run.etag is 'ETag of that answer.';
comment on column import_run.last_modified is 'Last-Modified of that answer.';
