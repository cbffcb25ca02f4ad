-- Sources as they are set up, and the tokens of programs that push to them.

create table source (
  id text collate "C" primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  kind text not null check (kind in ('push', 'file', 'reso', 'sample')),
  settings json not null,
  set_by text not null check (set_by in ('command', 'file', 'settings', 'import')),
  enabled boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

comment on table source is 'Sources of listings as they are set up; what is stored of one outlives its row.';
comment on column source.kind is
  'push: programs send its listings. file: they are imported. reso, sample: the process whose settings name it reads them.';
comment on column source.settings is 'What its kind needs, as in a file of sources; secrets only as names of variables or files.';
comment on column source.set_by is
  'Who may change it: commands, the file that SOURCES_FILE names, the settings of a process, or an import of its files.';
comment on column source.enabled is 'False once the file of sources no longer has it: nothing is accepted for it.';

insert into source (id, name, kind, settings, set_by, enabled, created_at, updated_at)
select source, source, 'file', '{}', 'import', true, min(started_at), min(started_at)
from import_run where source ~ '^[a-z0-9][a-z0-9-]{0,62}$' and source not in ('reso', 'sample') group by source;

create table source_token (
  id text collate "C" primary key,
  source text collate "C" not null references source (id) on delete cascade,
  hash bytea not null unique check (octet_length(hash) = 32),
  set_by text not null check (set_by in ('command', 'file')),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  requests bigint not null default 0
);

create index source_token_source on source_token (source);

comment on table source_token is
  'Tokens of programs that write to one source and read nothing else. A token that has ended has no row.';
comment on column source_token.hash is 'SHA-256 of the token, which is not stored.';
comment on column source_token.requests is 'Requests with the token, written every few seconds.';
