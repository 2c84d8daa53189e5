/** The guide to the HTTP API, run as it is printed: every curl line against a real server, every answer as shown. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '@punctual/testkit'
import { NonRetryableError } from 'punctual'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpKit } from '../kit/http-kit.ts'

const guide = readFileSync(
  fileURLToPath(new URL('../../../../docs/guides/http-api.md', import.meta.url)),
  'utf8',
)
/** A block, or a note for this test: what of an answer later lines name. */
const PART = /^```(\w+)\n([\s\S]*?)^```$|^<!-- (\w+): (\w+)(, once dead)? -->$/gm
/** A stream that would go on is left after so long. */
const STREAM_SECONDS = 2

let http: HttpKit
beforeAll(async () => {
  http = await HttpKit.open({ roles: ['worker', 'planner'] })
  http.punctual.handler('send_email', async ({ to }: { to: string }, ctx) => {
    ctx.log.info(`to ${to}`)
    if (to === 'nobody') throw new NonRetryableError('no such mailbox')
  })
})
afterAll(() => http.close())

function shell(line: string, env: Record<string, string>): Promise<string> {
  const script = line.replaceAll('curl -sS -N', `curl -sS -N --max-time ${STREAM_SECONDS}`)
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', script], { env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      // The stream was left.
      if (error && !(error.code === 28 && script !== line)) reject(new Error(`${line}: ${stderr}`))
      else resolve(stdout)
    })
  })
}

/** What is shown, with `…` for anything. */
function shown(value: unknown, env: Record<string, string>): unknown {
  if (value === '…') return expect.anything()
  if (typeof value === 'string' && value.startsWith('$')) return env[value.slice(1)]
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, of]) => [name, shown(of, env)])
  return expect.objectContaining(Object.fromEntries(members))
}

it('every line does what the guide says', async () => {
  const env: Record<string, string> = {
    URL: `${http.url}/v1`,
    AUTH: `Authorization: Bearer ${http.admin}`,
  }
  let answer = ''
  let lines = 0
  for (const [, language, text = '', variable, member, dead] of guide.matchAll(PART)) {
    if (language === 'sh')
      for (const line of text.split('\n').filter((it) => it.startsWith('curl '))) {
        answer = await shell(line, env)
        lines++
        expect(answer, line).not.toBe('')
      }
    else if (language === 'json') expect(JSON.parse(answer)).toEqual(shown(JSON.parse(text), env))
    else if (language === 'text')
      for (const line of text.trim().split('\n')) expect(answer).toContain(line.replace('…', ''))
    else if (variable !== undefined) {
      env[variable] = JSON.parse(answer)[member as string]
      if (dead)
        await eventually('it is dead', async () => {
          const { body } = await http.get(`/runs/${env[variable]}`)
          return body.state === 'dead'
        })
    }
  }
  expect(lines).toBe([...guide.matchAll(/^curl /gm)].length)
  expect(lines).toBeGreaterThan(25)
})
