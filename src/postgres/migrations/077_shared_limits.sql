-- How all processes count limits together in a server of LIMITS_URL, and what each process says of that.

create table limits_state (
  singleton boolean primary key default true check (singleton),
  installation text not null default substr(md5(gen_random_uuid()::text), 1, 12),
  epoch bigint not null,
  phase text not null check (phase in ('divided', 'both', 'shared')),
  nodes integer not null check (nodes > 0),
  changed_at timestamptz not null default clock_timestamp()
);

insert into limits_state (epoch, phase, nodes) values (1, 'divided', 1);

comment on table limits_state is 'One row: how requests are counted by the processes that have LIMITS_URL.';
comment on column limits_state.installation is 'Begins the keys in the server, so that several installations may share one.';
comment on column limits_state.epoch is 'Grows with each loss of the server or of what it had counted.';
comment on column limits_state.phase is 'divided: each process admits its share of every limit; both: the server and the share must allow it; shared: the server decides.';
comment on column limits_state.nodes is 'Processes among which limits are divided; it does not shrink before the server decides again.';

create table limits_node (
  id text collate "C" primary key,
  epoch bigint not null,
  step text not null check (step in ('divided', 'loaded', 'both', 'shared')),
  is_lost boolean not null,
  seen_at timestamptz not null
);

comment on table limits_node is 'Processes that count limits together, those that have ended too for as long as what they admitted may count. Survives a crash: one that is missing here would not be waited for.';
comment on column limits_node.id is 'The name of the process in the table node, and a text that only this run of it has.';
comment on column limits_node.step is 'What it has done of the epoch. loaded: its counts are in the server.';
comment on column limits_node.is_lost is 'Whether it has lost the server in this epoch.';
