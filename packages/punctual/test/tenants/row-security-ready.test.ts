/** A node that cannot use the row security that its installation requires reports it everywhere. */
import { migratedDatabase } from '@punctual/testkit'
import pg from 'pg'
import { Punctual } from 'punctual'
import { expect, test } from 'vitest'
import { NodeState } from '../../src/cli/node/node-state.ts'

const ROLE = `login_${process.pid}_ready`

test('a node without membership in the tenant role is not ready until it is granted', async () => {
  const database = await migratedDatabase()
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(
    `create role ${ROLE} login password 'x'; grant usage on schema punctual to ${ROLE};
     grant select, insert, update, delete on all tables in schema punctual to ${ROLE}`,
  )
  const url = new URL(database.url)
  url.username = ROLE
  url.password = 'x'
  const punctual = await Punctual.start({ databaseUrl: url.href, migrate: false, roles: [] })
  const state = new NodeState({ warn: () => undefined })
  state.started(punctual)
  try {
    expect(await state.ready()).toMatchObject({ ready: false, reason: 'row_security_missing' })
    await expect(state.service().asTenant(1, async () => 'done')).rejects.toMatchObject({
      code: 'row_security_missing',
    })
    await sql.query(`grant punctual_tenant to ${ROLE}`)
    await expect.poll(() => state.ready()).toEqual({ ready: true })
    expect(await state.service().asTenant(1, async () => 'done')).toBe('done')
  } finally {
    await punctual.stop()
    await sql.query(`drop owned by ${ROLE}; drop role ${ROLE}`)
    await sql.end()
    await database.drop()
  }
})
