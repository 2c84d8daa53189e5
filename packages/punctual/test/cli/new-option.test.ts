/** An option that is one row of a table is accepted, shown and documented everywhere. */
import { jobOptions } from '@punctual/core/job'
import { type Option, storedIn, wireNamesOf } from '@punctual/core/option'
import { runOptions } from '@punctual/core/submit'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { optionReader } from '../../../api/src/wire/read-options.ts'
import { membersOf } from '../../../api/src/wire/schema-of.ts'
import { checkOptions } from '../../../core/src/option/check-options.ts'
import { integer } from '../../../core/src/option/kinds.ts'
import { addOptionFlags, optionsFrom } from '../../src/cli/flags/option-flags.ts'
import { readJobsFile } from '../../src/cli/jobs-file/jobs-file.ts'

const scripts = new URL('../../../../scripts/option-tables', import.meta.url).href

const probeLevel = {
  kind: integer(1, 9),
  default: 2,
  help: 'how deep the run is probed',
  flag: '--probe-level <n>',
  stored: 'policy',
} as const satisfies Option

describe.for([
  ['a run', { ...runOptions, probeLevel }],
  ['a job', { ...jobOptions, probeLevel }],
] as const)('a new row in the table of %s', ([, table]) => {
  test('is checked and stored', () => {
    expect(checkOptions(table, 'submit', { probeLevel: 9 })).toEqual({ probeLevel: 9 })
    expect(() => checkOptions(table, 'submit', { probeLevel: 10 })).toThrow(
      'probeLevel must be an integer from 1 to 9; got 10.',
    )
    expect(storedIn(table, 'policy')).toContain('probeLevel')
  })

  test('is a member of requests, with its bounds and its help', () => {
    expect(membersOf(table).probe_level).toMatchObject({
      ...{ type: 'integer', minimum: 1, maximum: 9 },
      description: 'How deep the run is probed.',
    })
    const read = optionReader(table, {})
    expect(read({ probe_level: 3, queue: 'q' })).toEqual({ probeLevel: 3, queue: 'q' })
    expect(wireNamesOf('probeLevel', probeLevel)).toEqual(['probe_level'])
  })

  test('is a flag, with its help and its default', () => {
    const command = addOptionFlags(new Command(), table)
    expect(command.helpInformation()).toMatch(
      /--probe-level <n> +how deep the run is probed \(default: 2\)/,
    )
    const reading = { instant: (_: string, text: string) => new Date(text), payloadBytes: 100 }
    for (const option of command.options) option.makeOptionMandatory(false)
    const given = command.parse(['--probe-level', '4'], { from: 'user' }).opts()
    expect(optionsFrom(table, given, reading)).toEqual({ probeLevel: 4 })
  })

  test('is a row of the guides and of the reference of the command line', async () => {
    const { fillPage } = await import(`${scripts}/fill-page.mjs`)
    const page = (marker: string) => fillPage('guides/x.md', `${marker}\n<!-- end -->`, { table })
    const options = page('<!-- options of table: others -->')
    expect(options).toContain('\n| `probeLevel` | `2` | how deep the run is probed |\n')
    const flags = page('<!-- flags of table -->')
    expect(flags).toContain('\n| `--probe-level <n>` | how deep the run is probed | 2 |\n')
  })
})

describe('a jobs file', () => {
  const installation = { timezone: 'UTC', jitterMs: 0 }
  const reading = (job: object) => () =>
    readJobsFile('jobs.yaml', JSON.stringify({ jobs: [job] }), installation)
  const daily = { name: 'a', handler: 'h', cron: '@daily' }

  test('may contain every option of a job, unless its row says why not', () => {
    const refused = Object.entries<Option>(jobOptions).filter(([, { notInFile }]) => notInFile)
    expect(refused.map(([name]) => name)).toEqual(['delayMs', 'source'])
    for (const [name, { notInFile }] of refused)
      expect(reading({ ...daily, [name]: 1 })).toThrow(notInFile)
    expect(reading({ ...daily, probeLevel: 1 })).toThrow(
      `"probeLevel" is not an option of a job. Known: ${Object.keys(jobOptions).join(', ')}.`,
    )
  })
})
