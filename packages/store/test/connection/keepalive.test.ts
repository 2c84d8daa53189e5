/** Keepalive settings with which either side detects that the peer's host is gone. */
import type { Socket } from 'node:net'
import { TestStore } from '@punctual/testkit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Endpoint } from '../../src/connection/server/endpoint.ts'

let t: TestStore
beforeAll(async () => {
  t = await TestStore.open()
})
afterAll(() => t.close())

it('every connection enables TCP keepalives on both sides (case 63)', async () => {
  const endpoint = new Endpoint({ url: t.url, applicationName: 'keepalive' })
  const setKeepAlive = vi.spyOn((await import('node:net')).Socket.prototype, 'setKeepAlive')
  const client = await endpoint.connect({})
  try {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    expect(stream.destroyed).toBe(false)
    // Ten probes follow, one a second.
    expect(setKeepAlive).toHaveBeenCalledWith(true, 5_000)
    const { rows } = await client.query(
      `select name, setting::int as setting from pg_settings
       where name like 'tcp\\_keepalives%' or name = 'tcp_user_timeout'`,
    )
    const settings = Object.fromEntries(rows.map((row) => [row.name, Number(row.setting)]))
    const { tcp_keepalives_idle, tcp_keepalives_interval, tcp_keepalives_count } = settings
    const silentSeconds =
      Number(tcp_keepalives_idle) + Number(tcp_keepalives_interval) * Number(tcp_keepalives_count)
    expect(silentSeconds).toBeGreaterThan(0)
    expect(silentSeconds).toBeLessThanOrEqual(30)
    expect(settings.tcp_user_timeout).toBeGreaterThan(0)
    expect(settings.tcp_user_timeout).toBeLessThanOrEqual(30_000)
  } finally {
    setKeepAlive.mockRestore()
    await client.end()
  }
})
