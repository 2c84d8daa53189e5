/** Samples what the processes of the product use while the tenants are at work. */
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import type { Program } from './program.ts'

export interface Usage {
  /** The most connections to PostgreSQL that each process had at the same time, by its name. */
  readonly connections: Readonly<Record<string, number>>
  /** The most memory that each process ever had, in bytes; none where the system does not say. */
  readonly memoryBytes: Readonly<Record<string, number>>
  /** Processes that ended by themselves. */
  readonly deaths: readonly string[]
}

const EVERY_MS = 100

export class Watch {
  readonly #programs: readonly Program[]
  readonly #client: pg.Client
  readonly #connections = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #busy = false

  /** Each process has the role of its name in the database. */
  constructor(programs: readonly Program[], client: pg.Client) {
    this.#programs = programs
    this.#client = client
    this.#timer = setInterval(() => void this.#sample(), EVERY_MS)
  }

  async #sample(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    try {
      const { rows } = await this.#client.query<{ name: string; count: number }>(
        `select usename as name, count(*)::integer as count from pg_stat_activity
         where backend_type = 'client backend' group by usename`,
      )
      for (const { name, count } of rows)
        this.#connections.set(name, Math.max(count, this.#connections.get(name) ?? 0))
    } catch {
      // A server without a free connection, or one that has ended, shows in other figures.
    } finally {
      this.#busy = false
    }
  }

  end(): Usage {
    clearInterval(this.#timer)
    const names = this.#programs.map(({ name }) => name)
    const memory = this.#programs.flatMap(({ name, pid }) => {
      const bytes = peakBytes(pid)
      return bytes === null ? [] : [[name, bytes] as const]
    })
    return {
      connections: Object.fromEntries(
        names.map((name) => [name, this.#connections.get(name) ?? 0]),
      ),
      memoryBytes: Object.fromEntries(memory),
      deaths: this.#programs.flatMap(({ ownDeath }) => ownDeath ?? []),
    }
  }
}

/** The peak of the resident memory; null where there is no /proc, and of a process that has ended. */
function peakBytes(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024
  } catch {
    return null
  }
}

/** The rows of a tenant in tables that the installation reads for all tenants. */
export async function rowsOf(client: pg.Client, tenantId: number): Promise<Record<string, number>> {
  const tables = ['lanes', 'pauses', 'limits', 'calendars', 'sessions']
  const counts = tables.map(
    (table) =>
      `select '${table}' as name, count(*)::integer as count from punctual.${table} where tenant_id = $1`,
  )
  const { rows } = await client.query(counts.join(' union all '), [tenantId])
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}
