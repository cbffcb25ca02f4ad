-- Areas as a graph: an area may lie in several others, as a postal code does in two cities.

-- Parents besides the first, as the file names them.
alter table area add column other_parents text[] not null default '{}';

-- Every parent that was found; at place 0 the one that area.parent_id names.
create table area_edge (
  child_no integer not null references area (no) on delete cascade,
  parent_no integer not null references area (no) on delete cascade,
  place integer not null,
  primary key (child_no, parent_no)
);

create index area_edge_parent on area_edge (parent_no, child_no);

insert into area_edge
select child.no, parent.no, 0 from area as child join area as parent on parent.id = child.parent_id;

create index area_box on area using gist (box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])));

-- Letters that do not come apart into a plain one and an accent are found by the plain one too.
insert into area_word (word, area_no)
select translate(replace(replace(replace(replace(word, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
  'øłđðħıŋŧ', 'olddhint'), area_no
from area_word where word ~ '[ßæœþøłđðħıŋŧ]' on conflict do nothing;
