-- Events by which RESO servers say that a record has changed, until its listing is read again.

create table entity_event (
  source text collate "C" not null,
  resource text collate "C" not null,
  record_key text collate "C" not null,
  received_at timestamptz(3) not null,
  revision bigint not null default 1,
  due_at timestamptz(3) not null,
  attempts integer not null default 0,
  primary key (source, resource, record_key)
);

create index entity_event_due on entity_event (source, due_at);

comment on table entity_event is 'Records that a source says have changed, once each, until they are read from it.';
comment on column entity_event.received_at is 'When the first event about the record came that is not worked off.';
comment on column entity_event.revision is 'Grows with each event: one that comes while the record is read is worked off after it.';
comment on column entity_event.attempts is 'Reads of the record that failed since the last event about it.';
