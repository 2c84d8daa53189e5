/**
 * Secrets at rest: encryption, rows copied to another tenant or name, and rotation of master keys.
 */
import { randomBytes } from 'node:crypto'
import { Keyring, PostgresStore, systemClock, systemRandom } from '@punctual/store'
import { TestStore } from '@punctual/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]

describe('secrets at rest', () => {
  let t: TestStore
  const stores: PostgresStore[] = []
  function open(...keys: string[]): PostgresStore {
    const ports = { clock: systemClock, random: systemRandom, node: systemRandom.token() }
    const store = new PostgresStore({ url: t.url, ...ports, keyring: new Keyring(keys) })
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    t = await TestStore.open()
    await t.sql.query("insert into punctual.tenants (id, name) values (2, 'two')")
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await t.sql.query('truncate punctual.secrets')
  })
  afterAll(() => t.close())

  it('secrets are stored only encrypted, and are read back by name (case 160)', async () => {
    const { secrets } = open(first)
    expect(await secrets.set(1, 'mail', 'correct horse', 'ann')).toBe(1)
    expect(await secrets.read(1, 'mail')).toBe('correct horse')
    const { rows } = await t.sql.query('select s::text as row from punctual.secrets s')
    for (const text of ['correct horse', Buffer.from('correct horse').toString('hex')])
      expect(rows[0].row).not.toContain(text)
    expect(await secrets.list(1)).toMatchObject([{ name: 'mail', version: 1, createdBy: 'ann' }])
    await expect(secrets.read(1, 'other')).rejects.toMatchObject({ code: 'secret_not_found' })
    await expect(secrets.read(2, 'mail')).rejects.toMatchObject({ code: 'secret_not_found' })
  })

  it('a ciphertext in the row of another tenant, name or version does not decrypt', async () => {
    const { secrets } = open(first)
    await secrets.set(1, 'mail', 'the first value', null)
    const copy = (to: string) =>
      t.sql.query(
        `insert into punctual.secrets select ${to}, version, key_id, nonce, ciphertext, created_at, created_by,
         updated_at, updated_by from punctual.secrets where tenant_id = 1 and name = 'mail'`,
      )
    await copy("2, 'mail'")
    await copy("1, 'stolen'")
    const unreadable = { code: 'secret_unreadable' }
    await expect(secrets.read(2, 'mail')).rejects.toMatchObject(unreadable)
    await expect(secrets.read(1, 'stolen')).rejects.toMatchObject(unreadable)
    const { rows } = await t.sql.query("select * from punctual.secrets where name = 'mail'")
    await secrets.set(1, 'mail', 'the second value', null)
    await t.sql.query(
      "update punctual.secrets set nonce = $1, ciphertext = $2 where tenant_id = 1 and name = 'mail'",
      [rows[0].nonce, rows[0].ciphertext],
    )
    await expect(open(first).secrets.read(1, 'mail')).rejects.toMatchObject(unreadable)
  })

  it('a whole old row decrypts until the master key that encrypted it is removed', async () => {
    await open(first).secrets.set(1, 'mail', 'the first value', null)
    const { rows } = await t.sql.query("select * from punctual.secrets where name = 'mail'")
    const [{ version, key_id, nonce, ciphertext }] = rows
    await open(first).secrets.set(1, 'mail', 'the second value', null)
    await open(second, first).secrets.rotate()
    await t.sql.query(
      "update punctual.secrets set version = $1, key_id = $2, nonce = $3, ciphertext = $4 where name = 'mail'",
      [version, key_id, nonce, ciphertext],
    )
    expect(await open(second, first).secrets.read(1, 'mail')).toBe('the first value')
    const removed = open(second).secrets.read(1, 'mail')
    await expect(removed).rejects.toMatchObject({ code: 'secret_unreadable' })
  })

  it('secrets are unreadable but not lost without the master key or with a wrong one', async () => {
    await open(first).secrets.set(1, 'mail', 'correct horse', null)
    const [none, wrong] = [open(), open(second)]
    await expect(none.secrets.read(1, 'mail')).rejects.toMatchObject({
      code: 'secrets_key_missing',
    })
    await expect(none.secrets.set(1, 'mail', 'another value', null)).rejects.toMatchObject({
      code: 'secrets_key_missing',
    })
    await expect(wrong.secrets.read(1, 'mail')).rejects.toMatchObject({ code: 'secret_unreadable' })
    expect(await wrong.secrets.rotate()).toEqual({ recrypted: 0, unreadable: 1 })
    expect(await none.secrets.list(1)).toHaveLength(1)
    expect(await open(first).secrets.read(1, 'mail')).toBe('correct horse')
  })

  it('rotating re-encrypts the secrets of all tenants once with the new master key', async () => {
    const before = open(first)
    for (let n = 0; n < 120; n++)
      await before.secrets.set((n % 2) + 1, `s${n}`, `value number ${n}`, null)
    const both = open(second, first)
    expect(await both.secrets.rotate()).toEqual({ recrypted: 120, unreadable: 0 })
    expect(await both.secrets.rotate()).toEqual({ recrypted: 0, unreadable: 0 })
    const after = open(second)
    expect(await after.secrets.read(2, 's119')).toBe('value number 119')
    expect((await after.secrets.list(1)).every(({ version }) => version === 1)).toBe(true)
  })

  it('concurrent writes of one secret each get their own version', async () => {
    const all = Array.from({ length: 4 }, () => open(first))
    const sets = all.flatMap(({ secrets }, i) =>
      [0, 1, 2].map((n) => secrets.set(1, 'raced', `value ${i} ${n}`, null)),
    )
    const versions = await Promise.all(sets)
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
    expect(await open(first).secrets.read(1, 'raced')).toMatch(/^value \d \d$/)
  })
})
