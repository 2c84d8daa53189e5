/** The catalogue queries of a schema dump, ordered independently of server and migration. */

const SCHEMA = "'punctual'::regnamespace"
/** Tables, without day partitions. */
const TABLE = `c.relnamespace = ${SCHEMA} and c.relkind in ('r', 'p') and not c.relispartition`

export interface Table {
  readonly name: string
  readonly options: string[] | null
  readonly partitioning: string | null
  /** Whether row security is enabled. */
  readonly secured: boolean
}

export const TABLES = `
  select
    c.oid::regclass::text as name, c.reloptions as options, pg_get_partkeydef(c.oid) as partitioning,
    c.relrowsecurity as secured
  from pg_class c
  where ${TABLE}
  order by c.relname collate "C"`

export interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly collation: string | null
  readonly required: boolean
  readonly fallback: string | null
  /** a: always, d: by default, empty: no identity. */
  readonly identity: string
}

export const COLUMNS = `
  select
    c.oid::regclass::text as table, quote_ident(a.attname) as name,
    format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    pg_get_expr(d.adbin, d.adrelid) as fallback, a.attidentity as identity,
    case when a.attcollation <> t.typcollation then l.collname end as collation
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid
  join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  left join pg_collation l on l.oid = a.attcollation
  where ${TABLE} and a.attnum > 0 and not a.attisdropped
  order by c.relname collate "C", a.attnum`

export interface Constraint extends Definition {
  readonly name: string
}

export const CONSTRAINTS = `
  select
    c.oid::regclass::text as table, quote_ident(k.conname) as name,
    pg_get_constraintdef(k.oid, true) as definition
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  where ${TABLE} and k.contype in ('p', 'u', 'f', 'c', 'x')
  order by c.relname collate "C", position(k.contype::text in 'pufxc'), k.conname collate "C"`

export interface Definition {
  readonly table: string
  readonly definition: string
}

/** Without the indexes that back constraints. */
export const INDEXES = `
  select c.oid::regclass::text as table, pg_get_indexdef(i.indexrelid, 0, true) as definition
  from pg_index i
  join pg_class c on c.oid = i.indrelid
  where ${TABLE} and not exists (select from pg_constraint k where k.conindid = i.indexrelid)
  order by i.indexrelid::regclass::text collate "C"`

export const TRIGGERS = `
  select c.oid::regclass::text as table, pg_get_triggerdef(t.oid) as definition
  from pg_trigger t
  join pg_class c on c.oid = t.tgrelid
  where ${TABLE} and not t.tgisinternal
  order by c.relname collate "C", t.tgname collate "C"`

export const FUNCTIONS = `
  select pg_get_functiondef(p.oid) as definition
  from pg_proc p
  where p.pronamespace = ${SCHEMA}
  order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`

export interface Policy {
  readonly table: string
  readonly name: string
  readonly sees: string
  readonly writes: string | null
}

export const POLICIES = `
  select
    c.oid::regclass::text as table, quote_ident(p.polname) as name,
    pg_get_expr(p.polqual, p.polrelid, true) as sees,
    pg_get_expr(p.polwithcheck, p.polrelid, true) as writes
  from pg_policy p
  join pg_class c on c.oid = p.polrelid
  where ${TABLE}
  order by c.relname collate "C", p.polname collate "C"`

export interface Grant {
  readonly table: string
  readonly rights: string
  readonly grantee: string
}

/** Privileges of roles other than the owner: on whole tables, then on single columns. */
export const GRANTS = `
  select
    g.relation::regclass::text as table,
    case when g.grantee = 0 then 'public' else g.grantee::regrole::text end as grantee,
    string_agg(g.privilege_type || g.columns, ', ' order by g.columns, g.privilege_type) as rights
  from (
    select c.oid as relation, e.grantee, e.privilege_type, '' as columns
    from pg_class c
    cross join lateral aclexplode(c.relacl) e
    where ${TABLE} and e.grantee <> c.relowner
    union all
    select c.oid, e.grantee, e.privilege_type, ' (' || string_agg(a.attname, ', ' order by a.attnum) || ')'
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid
    cross join lateral aclexplode(a.attacl) e
    where ${TABLE} and e.grantee <> c.relowner
    group by 1, 2, 3
  ) g
  group by g.relation, g.grantee
  order by 1, 2`
