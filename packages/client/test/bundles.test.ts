/** Bundles contain only what a program uses, and nothing of Node. */
import { fileURLToPath } from 'node:url'
import vm from 'node:vm'
import { build } from 'vite'
import { expect, test } from 'vitest'
import { HttpKit } from '../../punctual/test/kit/http-kit.ts'

const source = fileURLToPath(new URL('../src/index.ts', import.meta.url))

/** Bundles a program with the client, as it would be sent to a browser. */
async function bundle(program: string): Promise<string> {
  const entry = '\0program.ts'
  const result = await build({
    ...{ configFile: false, logLevel: 'silent' },
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? entry : id === '@punctual/client' ? source : null),
        load: (id) => (id === entry ? program : null),
      },
    ],
    build: {
      ...{ write: false, minify: false, target: 'es2022' },
      rollupOptions: { input: 'program', preserveEntrySignatures: 'strict' },
      lib: { entry: 'program', formats: ['iife'], name: 'program', fileName: 'program' },
    },
  })
  const [{ output }] = [result].flat() as unknown as [{ output: { code: string }[] }]
  return output[0]?.code as string
}

test('the bundle of a program that uses queues has no jobs, runs or bulk requests', async () => {
  const code = await bundle(
    `import { Connection, Queues } from '@punctual/client'
     export const queues = new Queues(new Connection({ url: 'http://localhost' }))`,
  )
  expect(code).toContain('/queues')
  for (const other of ['POST /jobs', 'POST /runs', 'POST /tenants', 'BulkError', 'text/event'])
    expect(code).not.toContain(other)
})

test('the client runs with the globals of a browser only', async () => {
  const kit = await HttpKit.open({ roles: [] })
  try {
    const code = await bundle(
      `import { createClient } from '@punctual/client'
       export async function run(url, apiKey) {
         const client = createClient({ url, apiKey })
         const made = await client.jobs.create({ name: 'from-a-page', schedule: '0 9 * * *' })
         return [made.status, (await client.jobs.list().all()).map(({ name }) => name)]
       }`,
    )
    const web = { fetch, URL, URLSearchParams, AbortController, TextEncoder, TextDecoder }
    const timers = { setTimeout, clearTimeout }
    const context = vm.createContext({ ...web, ...timers, crypto: globalThis.crypto })
    const run = vm.runInContext(`${code}; program.run`, context)
    expect(vm.runInContext('typeof process + typeof require + typeof Buffer', context)).toBe(
      'undefinedundefinedundefined',
    )
    expect([...(await run(kit.url, kit.admin))].flat(2)).toEqual(['scheduled', 'from-a-page'])
  } finally {
    await kit.close()
  }
})
