-- Photos that this service serves itself: fetched on request, or copied.

create table listing_media (
  listing_id text collate "C" primary key references listing (id) on delete cascade,
  source text collate "C" not null,
  mode text not null check (mode in ('proxy', 'copy')),
  pictures json,
  changed_at text,
  revision integer not null default 1,
  due_at timestamptz(3),
  failures json not null default '{}',
  waiting integer not null default 0,
  failed integer not null default 0
);

create index listing_media_due on listing_media (source, due_at) where due_at is not null;
create index listing_media_open on listing_media (source) where waiting > 0 or failed > 0;

comment on table listing_media is
  'Photos and floor plans of listings that are shown from here, as their source names them; none of listings that link to their source.';
comment on column listing_media.pictures is
  'Those that are wanted, in their order, with their addresses; null: not known, since they are requested when they are copied. Addresses that can be fetched once are never in it.';
comment on column listing_media.changed_at is
  'When the photos changed, as the source says, where they are requested when they are copied; null: they come with the record.';
comment on column listing_media.revision is 'Grows with each change of what is wanted.';
comment on column listing_media.due_at is 'When copies are tried next; null: nothing is left to try.';
comment on column listing_media.failures is 'Tries that failed, by the name of the picture; after three it is left alone until its listing changes.';
comment on column listing_media.waiting is 'Pictures that are still to be copied.';
comment on column listing_media.failed is 'Pictures that are left alone.';

create table photo_copy (
  listing_id text collate "C" references listing (id) on delete cascade,
  name text collate "C",
  hash bytea not null,
  format text not null check (format in ('jpeg', 'png', 'webp', 'avif')),
  bytes integer not null,
  width integer not null,
  height integer not null,
  copied_at timestamptz(3) not null,
  primary key (listing_id, name)
);

create index photo_copy_hash on photo_copy (hash);

comment on table photo_copy is 'Copies of pictures of listings: their files are in MEDIA_DIR, under their hash.';
comment on column photo_copy.name is 'Of the picture in its listing, as it stands in its URL: another version of a picture has another name.';
comment on column photo_copy.hash is 'SHA-256 of the file.';

create table photo_orphan (
  hash bytea primary key,
  since timestamptz(3) not null default clock_timestamp()
);

comment on table photo_orphan is 'Files whose listing is gone, or has other pictures: they are deleted unless another listing has the same.';

create function note_photo_orphans() returns trigger language plpgsql as $$
begin
  insert into photo_orphan (hash) select distinct hash from gone order by hash on conflict (hash) do nothing;
  return null;
end $$;

comment on function note_photo_orphans() is 'Notes the files of copies that were deleted, however that happened.';

create trigger photo_copy_deleted after delete on photo_copy
  referencing old table as gone for each statement execute function note_photo_orphans();

create table photo_rest (
  source text collate "C" primary key,
  until timestamptz(3) not null
);

comment on table photo_rest is 'Sources of which no photo is fetched for a while, since their server wants that.';
