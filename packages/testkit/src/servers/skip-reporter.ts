import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node'
import './describe-with-server.ts'

/**
 * Lists, at the end of a run, every suite that was skipped because its server is missing, with the
 * command that installs it.
 *
 * It comes before the default reporter in the list of reporters: they print in that order, and the
 * run's summary stays last on the screen.
 */
export default class SkipReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const report = describeSkips(modules)
    if (report !== '') this.#vitest?.logger.log(report)
  }
}

interface Skip {
  readonly suites: string[]
  readonly install: string
}

function describeSkips(modules: readonly TestModule[]): string {
  const skips = new Map<string, Skip>()
  for (const module of modules) {
    for (const suite of module.children.allSuites()) collectSkip(skips, suite)
  }
  if (skips.size === 0) return ''
  const lines = [...skips].flatMap(([title, { suites, install }]) => [
    `  ${title} is not installed. Install it with: ${install}`,
    ...suites.map((suite) => `    skipped: ${suite}`),
  ])
  return ['', 'Suites skipped because their server is missing:', ...lines, ''].join('\n')
}

function collectSkip(skips: Map<string, Skip>, suite: TestSuite): void {
  const { missingServer } = suite.meta()
  // A suite inside a skipped one inherits its meta; only the outermost suite is reported.
  const parent = suite.parent.type === 'suite' ? suite.parent.meta().missingServer : undefined
  if (missingServer === undefined || parent?.title === missingServer.title) return
  const skip = skips.get(missingServer.title) ?? { suites: [], install: missingServer.install }
  const count = [...suite.children.allTests()].length
  const tests = count === 1 ? '1 test' : `${count} tests`
  skip.suites.push(`${suite.module.relativeModuleId} > ${suite.fullName} (${tests})`)
  skips.set(missingServer.title, skip)
}
