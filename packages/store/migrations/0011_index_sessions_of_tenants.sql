-- Sessions of remote workers by tenant: their number is bounded for each tenant. The index has no
-- column that a renewal changes, so renewals stay cheap.

create index sessions_tenant on punctual.sessions (tenant_id) where tenant_id is not null;
