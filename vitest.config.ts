/** Every test runs on SQLite; those that touch a database run on PostgreSQL too, where there is one: in the gate a choice of them. */
import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { filesOnPostgres } from './test/support/run/on-postgres.ts'
import { isGate } from './test/support/run/tiers.ts'
import { findChromium } from './tools/chromium.mjs'
import { testsOf } from './tools/files.mjs'
import LongestFirst from './tools/test-sequencer.mjs'

const postgres = process.env.GITSTEAD_TEST_DATABASE_URL
/** Loading the program takes longer than most files of tests: a worker does it once, and what a file opened is closed by `setup.ts`. */
const shared = {
  // A test that needs longer says so, and why.
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // Sooner than the test, so that its failure says what was expected.
  expect: { poll: { timeout: 25_000, interval: 20 } },
  pool: 'forks' as const,
  // On two processors one more than there are: tests wait for an eighth of their time.
  maxWorkers: Math.max(3, availableParallelism()),
  isolate: false,
  execArgv: v8Flags(),
  setupFiles: ['test/support/run/setup.ts'],
}
/** Modules that find the programs of processes in the sources: the tests have them compiled once for a run. */
const resolve = {
  alias: ['program-arguments', 'fork-server-file'].map((name) => ({
    find: new RegExp(`^\\./${name}\\.ts$`),
    replacement: join(import.meta.dirname, 'test', 'support', 'run', `${name}.ts`),
  })),
}
const all = ['src/**/*.test.ts', 'test/**/*.test.ts']
/** Tests that drive Chromium, on SQLite. */
const inBrowser = 'test/browser'
/** Asked for by name they are a project of their own. Else they are among the others on SQLite, whose workers have loaded the program already. */
const browserAlone = process.argv.some(
  (arg, at) => arg === '--project=browser' || (arg === 'browser' && process.argv[at - 1] === '--project'),
)

/**
 * Tests call most functions a few times, and drop most objects at once: a worker that optimizes later and collects less often takes an
 * eighth less of the processor. V8 changes its flags: a Node.js that doesn't know one would not start with it.
 */
function v8Flags(): string[] {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  return ['--max-semi-space-size=64', '--interrupt-budget=1000000'].filter((flag) => known.includes(`  ${flag.replace(/=.*/, '')} (`))
}

const withoutBrowser = [...configDefaults.exclude, ...(findChromium() ? [] : [`${inBrowser}/**`])]

export default defineConfig({
  test: {
    globalSetup: 'test/support/run/build.ts',
    sequence: { sequencer: LongestFirst },
    // A second run finds the modules as they were transformed.
    experimental: { fsModuleCache: true },
    projects: [
      ...(browserAlone
        ? [{ resolve, test: { ...shared, name: 'browser', include: [`${inBrowser}/*.test.ts`] } }]
        : [{ resolve, test: { ...shared, name: 'sqlite', include: all, exclude: withoutBrowser } }]),
      ...(postgres
        ? [
            {
              resolve,
              test: {
                ...shared,
                name: 'postgres',
                include: filesOnPostgres(testsOf(import.meta.dirname), isGate),
                env: { GITSTEAD_TEST_ENGINE: 'postgres' },
              },
            },
          ]
        : []),
    ],
  },
})
