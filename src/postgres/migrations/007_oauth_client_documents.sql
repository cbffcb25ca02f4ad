-- What clients say about themselves at the address that is their id, as it was when last fetched: shared by all processes.

create table oauth_client_document (
  url text collate "C" primary key check (length(url) between 1 and 2048),
  -- Only documents that were found good are here.
  client_name text,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  fetched_at timestamptz(3) not null,
  fresh_until timestamptz(3) not null
);

create index oauth_client_document_fetched on oauth_client_document (fetched_at);
