/**
 * Runs every curl line of the HTTP API guide against a real server and checks the printed answers.
 */
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
/** A code block, or a note for this test: the member of an answer that later lines use. */
const PART = /^```(\w+)\n([\s\S]*?)^```$|^<!-- (\w+): (\w+)(, once dead)? -->$/gm
/** How long an endless stream is read. */
const STREAM_SECONDS = 5

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
      // curl ends a stream with code 28 at its time limit.
      if (error && !(error.code === 28 && script !== line)) reject(new Error(`${line}: ${stderr}`))
      else resolve(stdout)
    })
  })
}

/** The printed answer as a matcher; `…` matches anything. */
function shown(value: unknown, env: Record<string, string>): unknown {
  if (value === '…') return expect.anything()
  if (typeof value === 'string' && value.startsWith('$')) return env[value.slice(1)]
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, shown(member, env)])
  return expect.objectContaining(Object.fromEntries(members))
}

it('every line gives the answer that the guide shows', async () => {
  const env: Record<string, string> = {
    URL: `${http.url}/v1`,
    AUTH: `Authorization: Bearer ${http.admin}`,
  }
  let answer = ''
  let lines = 0
  for (const [, language, text = '', variable, member, dead] of guide.matchAll(PART)) {
    if (language === 'sh')
      for (const line of text.split('\n').filter((command) => command.startsWith('curl '))) {
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
        await eventually('the run is dead', async () => {
          const { body } = await http.get(`/runs/${env[variable]}`)
          return body.state === 'dead'
        })
    }
  }
  expect(lines).toBe([...guide.matchAll(/^curl /gm)].length)
  expect(lines).toBeGreaterThan(25)
})
