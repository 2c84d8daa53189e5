import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../test/lab.ts'
import { findServiceUser } from './service-user.ts'

async function passwd(...lines: string[]): Promise<string> {
  const path = join(await temporaryDir(), 'passwd')
  await writeFile(path, lines.join('\n'))
  return path
}

const root = 'root:x:0:0:root:/root:/bin/bash'
const nobody = 'nobody:x:65534:65534::/nonexistent:/bin/false'

test("PostgreSQL's own user is preferred to nobody", async () => {
  const file = await passwd(root, nobody, 'postgres:x:101:104::/var/lib/postgresql:/bin/bash')
  expect(await findServiceUser(file)).toEqual({ uid: 101, gid: 104 })
  expect(await findServiceUser(await passwd(root, nobody))).toEqual({ uid: 65_534, gid: 65_534 })
})

test('a machine without either user has no service user', async () => {
  expect(await findServiceUser(await passwd(root, 'nobody:*:-2:-2::/:/bin/false'))).toBeUndefined()
  expect(await findServiceUser('/nonexistent')).toBeUndefined()
})
