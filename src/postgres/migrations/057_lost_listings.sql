-- Listings that their sources no longer show: what the log of changes keeps of their words and people is erased within a day.

create table listing_erasure (
  listing_id text collate "C" primary key,
  lost_at timestamptz(3) not null
);

create index listing_erasure_lost on listing_erasure (lost_at);

comment on table listing_erasure is
  'Listings that became DELETED, or whose source was removed, until the log of changes has nothing of their words and people any more.';
comment on column listing_erasure.lost_at is 'When that was noticed; of one that came back meanwhile, nothing is erased.';

-- Earlier releases kept the records of deleted listings whole.
insert into stored_review (name, finished_at)
select 'lost', case when exists (select from listing where status = 'DELETED') then null else now() end;
