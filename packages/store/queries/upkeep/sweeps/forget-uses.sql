-- Forgets all uses of keys and rates, including the rates of limits: windows of keys, bookings and
-- starts. For tests, which have to begin as if nothing had run; the limits themselves stay.
--
-- Parameters: none
-- Returns: nothing
-- Locks: key_windows (skip locked: an open transaction may use them), rates, rate_starts and
--   limits. Index: none: scans whole tables.
with windows as (
  delete from punctual.key_windows
  where ctid = any (array(select ctid from punctual.key_windows for update skip locked))
),
used as (
  delete from punctual.rates
),
started as (
  delete from punctual.rate_starts
)
update punctual.limits
set next_us = 0
where next_us > 0
