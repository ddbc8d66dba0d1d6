/** Reports more than vitest for `npm test`: counts and costs for its last lines, and the running tests when time is up. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { usual_s } from './cpu-budgets.mjs'
import { root } from './prepare.mjs'

const listed = 10

/**
 * A reporter of vitest. Sends its parent a message at the end: `{ passed, failed, skipped, files, forked_s }`, the files with their costs and budgets. At SIGUSR2 it prints the tests that
 * are running, and the slowest files so far.
 */
export default class TestReporter {
  /** @type {Map<string, { name: string, since_ms: number }>} */
  #running = new Map()
  /** @type {Array<{ name: string, seconds: number, cpu_s: number | undefined }>} */
  #files = []

  onInit() {
    process.on('SIGUSR2', () => this.#printRunning())
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleStart(module) {
    this.#running.set(module.id, { name: nameOf(module), since_ms: performance.now() })
  }

  /** @param {import('vitest/node').TestModule} module */
  onTestModuleEnd(module) {
    const started = this.#running.get(module.id)
    this.#running.delete(module.id)
    if (!started) return
    const seconds = (performance.now() - started.since_ms) / 1000
    this.#files.push({ name: started.name, seconds, cpu_s: module.meta().cpu_s })
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseReady(test) {
    this.#running.set(test.id, { name: `${nameOf(test.module)} > ${test.fullName}`, since_ms: performance.now() })
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    this.#running.delete(test.id)
  }

  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (/** @type {string} */ state) => tests.filter((test) => test.result().state === state).length
    const brokenFiles = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0).length
    this.#printSlowest()
    if (process.env.GITSTEAD_TEST_TIMINGS) this.#writeTimings(process.env.GITSTEAD_TEST_TIMINGS)
    process.send?.({
      passed: count('passed'),
      failed: count('failed') + brokenFiles + errors.length,
      skipped: count('skipped'),
      files: modules.flatMap(costOf),
      forked_s: modules.reduce((sum, module) => sum + (module.meta().forked_s ?? 0), 0),
    })
  }

  #printSlowest() {
    const slowest = [...this.#files].sort((a, b) => b.seconds - a.seconds).slice(0, listed)
    process.stdout.write('\nThe slowest files (seconds that passed, seconds of processor):\n')
    for (const { name, seconds, cpu_s } of slowest) {
      process.stdout.write(`${seconds.toFixed(1).padStart(8)} ${(cpu_s?.toFixed(1) ?? '?').padStart(7)}  ${name}\n`)
    }
  }

  /**
   * For `test-sequencer.mjs`.
   * @param {string} path
   */
  #writeTimings(path) {
    const long = this.#files.filter(({ seconds }) => seconds >= 1)
    writeFileSync(
      path,
      `${long
        .map(({ name, seconds }) => `${name} ${Math.round(seconds)}`)
        .sort()
        .join('\n')}\n`,
    )
  }

  #printRunning() {
    process.stdout.write('\nTime is up. Running now (for so many seconds):\n')
    for (const { name, since_ms } of this.#running.values()) {
      process.stdout.write(`${((performance.now() - since_ms) / 1000).toFixed(1).padStart(8)}  ${name}\n`)
    }
    this.#printSlowest()
  }
}

/** @param {import('vitest/node').TestModule} module */
function costOf(module) {
  const { cpu_s, cpu_budget_s } = module.meta()
  return cpu_s === undefined ? [] : [{ name: nameOf(module), cpu_s, budget_s: cpu_budget_s ?? usual_s }]
}

/** @param {import('vitest/node').TestModule} module */
function nameOf(module) {
  return `${module.project.name} ${relative(root, module.moduleId)}`
}
