-- To whom a listing was ever shown: the log of changes tells nobody of what was hidden from them all the time.

alter table listing add column audience smallint not null default 2 check (audience between 0 and 2);

comment on column listing.audience is
  'The widest audience that the listing ever had: 0 nobody, 1 readers who may ignore display rules, 2 all readers.';

-- Of others that are hidden now, nobody knows what they were before.
update listing set audience = case when status = 'INCOMPLETE' then 0 else 1 end
where version = 1 and (status = 'INCOMPLETE' or not displayed);
