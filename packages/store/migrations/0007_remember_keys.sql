-- Keys beyond the life of their runs: windows in which a key is answered with the run that it has made, and an order among
-- submissions that change the run of a key.

-- One row for each key that was submitted with a window, or to replace or debounce. Whoever holds the row's lock has the
-- turn: nothing else locks it, so that two submissions of a key never wait for each other in a circle with a claim or an
-- end. The janitor forgets rows that no longer say anything.
create table punctual.key_windows (
  -- Of the last submission.
  used_at timestamptz not null,
  -- Until when the key is answered with `run_id`, also after the end of that run; null without a window.
  until_at timestamptz,
  tenant_id integer not null,
  key text not null,
  -- What the last submission that changed something came to, and the id that it brought along: a submission that is sent
  -- again after its answer was lost finds itself here.
  run_id uuid,
  asked_by uuid,
  primary key (tenant_id, key)
) with (fillfactor = 70, vacuum_truncate = off);
