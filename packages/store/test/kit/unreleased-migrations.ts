/** The rows that the last build before the first release left in the table of migrations. */

interface Row {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly breaking: boolean
}

/** The checksums are invented: the names alone identify the other build. */
const row = (version: number, name: string, breaking = false): Row => ({
  ...{ version, name, breaking },
  checksum: version.toString(16).padStart(64, '0'),
})

export const unreleasedMigrations: readonly Row[] = [
  row(1, 'create_foundation'),
  row(2, 'create_schedules'),
  row(3, 'steer_runs'),
  row(4, 'submit_in_sql'),
  row(5, 'flow_control'),
  row(6, 'group_runs'),
  row(7, 'remember_keys'),
  row(8, 'limit_queues'),
  row(9, 'serve_tenants'),
  row(10, 'audit_writes'),
  row(11, 'index_history'),
  row(13, 'remember_requests'),
  row(14, 'wall_tenants'),
  row(15, 'count_by_connection', true),
  row(16, 'end_once_jobs'),
  row(17, 'give_back_moments'),
]
