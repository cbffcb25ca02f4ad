-- How many records the first load of a source has, where the source tells: so that every process on the database can tell how far
-- it is, and not only the one that reads.
alter table source_position add column total integer;
