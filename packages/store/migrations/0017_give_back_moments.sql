-- Moments that runs were given by their rate, and do not use because they were cancelled or are to start later, go to those behind them:
-- a loop beside the reaper looks for them, rate by rate and in the order of the moments.
create index gated_rate on punctual.gated (rate, booked_us) where booked_us is not null;

-- Up to where what has started has used a rate, in microseconds: `rates.next_us` without those that are yet to start. Only of rates
-- whose burst takes more than a second: what others have used is over within one.
create table punctual.rate_starts (
  rate bigint primary key,
  used_us bigint not null
) with (fillfactor = 50, vacuum_truncate = off);

-- What has started before is not known: all of it may have.
insert into punctual.rate_starts (rate, used_us) select rate, next_us from punctual.rates;
