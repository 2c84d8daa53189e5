-- Forgets what keys and rates remember of runs that have ended: windows of keys, and what was used of rates, those of
-- limits too. For tests, which are to begin as if nothing had run; limits themselves stay.
--
-- Parameters: none
-- Returns: nothing
-- Locks: key_windows (skip locked: an open transaction may have its turn), rates, rate_starts and limits. Index: none: a
--   look at all of them.
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
