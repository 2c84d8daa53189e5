-- Lists of runs that wait in `later` or `parked` are read by the lanes of their tenant: in the order
-- of ids alone they would walk the runs of all tenants. Runs that are submitted to the queue, claimed
-- and settled are in neither table and pay nothing.

create index later_lane on punctual.later (lane, run_id);
create index parked_lane on punctual.parked (lane, run_id);
