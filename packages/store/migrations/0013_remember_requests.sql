-- What requests with an idempotency key were answered, so that the same one again is not done again. Written in the
-- transaction of the change. ADR 0016.

create table punctual.requests (
  tenant_id integer not null references punctual.tenants (id),
  key text not null,
  -- Of method, address and body: another request under the same key is refused.
  fingerprint bytea not null,
  answered_at timestamptz not null default clock_timestamp(),
  status smallint not null,
  body text not null,
  primary key (tenant_id, key)
);

create index requests_answered on punctual.requests (answered_at);
