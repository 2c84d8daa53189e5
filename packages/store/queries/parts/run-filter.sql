-- The filter on runs, the same in lists, counts and bulk actions.
--
-- Expects: parameters and tables as in runs/page-runs.
and ($2::text is null or c.queue = $2::text)
and ($3::text is null or c.handler = $3::text)
and ($4::uuid is null or r.job_id = $4::uuid)
and ($5::jsonb is null or r.labels @> $5::jsonb)
and ($6::text is null or starts_with(r.key, $6::text))
and ($7::float8 is null or r.due_at >= to_timestamp($7::float8 / 1000))
and ($8::float8 is null or r.due_at < to_timestamp($8::float8 / 1000))
and ($9::float8 is null or r.created_at >= to_timestamp($9::float8 / 1000))
and ($10::float8 is null or r.created_at < to_timestamp($10::float8 / 1000))
and ($11::uuid[] is null or r.id = any ($11::uuid[]))
