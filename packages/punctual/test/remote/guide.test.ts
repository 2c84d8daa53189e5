/** Runs the curl lines of the guide on remote workers and compares their answers with the guide. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

const guide = readFileSync(
  new URL('../../../../docs/guides/remote-workers.md', import.meta.url),
  'utf8',
)
const PAIR = /^```sh\n(curl [\s\S]*?)^```\n\n^```(?:json|text)\n([\s\S]*?)^```$/gm

/** Replaces ids, fences and times, which differ in every run. */
const masked = (text: string) =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
    .replaceAll(/"\d{10,19}"/g, '"<token>"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
const plain = (text: string): unknown =>
  text.trim().startsWith('{') ? JSON.parse(masked(text)) : text.trim()

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'])
    return true
  } catch {
    return false
  }
}

// skips: a machine may have no curl
describe.skipIf(!hasCurl())('the guide on remote workers', () => {
  let kit: HttpKit
  const env: Record<string, string> = {}

  beforeAll(async () => {
    kit = await HttpKit.open({ roles: [] })
    env.PUNCTUAL_SERVER = kit.url
    env.PUNCTUAL_API_KEY = await kit.keyFor('acme', 'worker')
    const { id } = (await kit.punctual.tenants.get('acme')) as { id: number }
    await kit.punctual.tenant(id).submit('resize', { url: 'https://example.com/a.png' })
  })
  afterAll(() => kit.close())

  const pairs = [...guide.matchAll(PAIR)].map(([, line = '', answer = '']) => [line, answer])

  it('covers every route', () => expect(pairs.length).toBeGreaterThan(9))

  it('explains how a wait continues: the `cursor` of an answer is sent as `after`', async () => {
    const [sentence] = guide.match(/`wait` is a long poll[^.]*\./) ?? []
    const [received, sent] = ['cursor', 'after']
    for (const member of [received, sent]) expect(sentence).toContain(`\`${member}\``)
    const key = await kit.keyFor('acme', 'worker')
    const announced = { host: 'h', handlers: ['waits'], capacity: 1, lease_ms: 30_000 }
    const session = (await kit.post('/worker-sessions', announced, { key })).body.id
    const wait = (body: object) => kit.post(`/worker-sessions/${session}/wait`, body, { key })
    const first = await wait({})
    const next = await wait({ [sent]: first.body[received] })
    expect([next.status, next.body]).toMatchObject([200, { [received]: expect.any(String) }])
  })

  it.each(pairs)('%s', async (line, answer) => {
    const options = { env: { ...process.env, ...env } }
    const { stdout } = await promisify(execFile)('bash', ['-c', line as string], options)
    expect(plain(stdout)).toEqual(plain(answer as string))
    if (/^\{"id"/.test(stdout)) env.SESSION = JSON.parse(stdout).id
    const [run] = /^\{"runs"/.test(stdout) ? JSON.parse(stdout).runs : []
    if (run) Object.assign(env, { RUN: run.run_id, FENCE: run.fence })
  })
})
