/** packages/store/schema.sql is the dump of the migrated schema. */
import { readFileSync } from 'node:fs'
import { dumpSchema, freshSchema, postgresMajors, TestStore } from '@punctual/testkit'
import { expect, it, onTestFinished } from 'vitest'

const committed = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8')

it.each(postgresMajors)(
  'on PostgreSQL %s the migrations create the schema of schema.sql',
  async (major) => {
    const made = await freshSchema(major)
    expect(made, 'packages/store/schema.sql is out of date: npm run schema').toBe(committed)
  },
)

/** Each change, and the lines that it adds to the dump. */
const changes: [statement: string, ...lines: string[]][] = [
  ['alter table punctual.jobs add extra text default 5', '  extra text default 5,'],
  ['alter table punctual.later alter due_at drop not null', '  due_at timestamptz,'],
  [
    'alter table punctual.later add check (lane > 0)',
    '  constraint later_pkey primary key (run_id),',
    '  constraint later_lane_check check (lane > 0)',
  ],
  [
    'alter table punctual.later set (fillfactor = 90)',
    ') with (vacuum_truncate = off, fillfactor = 90);',
  ],
  [
    'create index extra on punctual.runs (key) where lane = 1',
    'create index extra on punctual.runs (key) where lane = 1;',
  ],
  ['drop trigger audit_log_is_append_only on punctual.audit_log'],
  [
    `create function punctual.extra() returns text language sql as $$ select 'A' $$`,
    'create function punctual.extra()',
    "as $function$ select 'A' $function$;",
  ],
  ['alter policy tenant_isolation on punctual.rates using (false)', '  using (false)'],
  ['grant truncate on punctual.rates to public', 'grant truncate on punctual.rates to public;'],
]

it.each(changes)('the schema dump shows %s', async (statement, ...lines) => {
  const t = await TestStore.open()
  onTestFinished(() => t.close())
  await t.sql.query(statement)
  const made = (await dumpSchema(t.sql)).split('\n')
  expect(made.filter((line) => !committed.split('\n').includes(line))).toEqual(lines)
  if (lines.length === 0) expect(made.length).toBe(committed.split('\n').length - 1)
})

it('schema.sql contains nothing that depends on the date', () => {
  expect(committed).not.toMatch(/_\d{8}\b|\b20\d\d-\d\d/)
})
