/** Every test runs on SQLite; those that touch a database run on PostgreSQL too, where there is one: in the gate a choice of them. */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { hasTestsOnPostgres } from './test/support/run/on-postgres.ts'
import { isGate } from './test/support/run/tiers.ts'
import { findChromium } from './tools/chromium.mjs'
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
  setupFiles: ['test/support/run/setup.ts'],
}
const all = ['src/**/*.test.ts', 'test/**/*.test.ts']
/** In the gate the files with tests that are chosen for it. */
const onPostgres = isGate ? testFiles().filter(hasTestsOnPostgres) : all
/** Tests that drive Chromium: a project of their own, which runs once, on SQLite. */
const inBrowser = 'test/browser/**'
/**
 * Tests of pure functions, of git alone, of the store, of the wire, of rendering, and of what is read of repositories: the engine has
 * no say in them. What a push, a reader or an attacker asks of the database is asked on both by others (`push.test.ts`,
 * `protection.test.ts`, `find.test.ts`), and each endpoint is called on both (`replies.test.ts`).
 */
const withoutDatabase = [
  'src/ci/**',
  'src/git/**',
  'src/runner/**',
  'src/store/**',
  'src/limits/**',
  'src/processes/**',
  'test/scripts/{clone,clone-cache,odd-repository,openssh-server,ssh,ssh-flood,ssh-other-clients}.test.ts',
  'test/scripts/{failed-start,full-disk,npm-start,power-cut,process-lives,protocol-requests,shell-slots,stop-after-many-refs,streams}.test.ts',
  'src/transport/ssh/{command-line,host-keys,limits}.test.ts',
  'src/pages/repository/history/**',
  'src/features/repository/commits/{commit-refs,commits}.test.ts',
  'src/features/repository/contents/{archive,bomb,compare,contents,raw}.test.ts',
  'src/features/repository/files/{blame,files}.test.ts',
  'src/ci/**',
  'src/features/instance/markdown/{markdown,reference-syntax}.test.ts',
  'src/features/discussion/references/closing.test.ts',
  'src/features/repository/stats/languages.test.ts',
  'src/features/transfer/archive/table-lines.test.ts',
  'src/features/people/gpg-keys/openpgp.test.ts',
  'src/http/{address,admission,page,parameters,ranges,slow-clients,validate}.test.ts',
  'src/outgoing/**',
  'src/{config,log,log-writer,main,wildcards}.test.ts',
  'test/contract/{coverage,docs,import-law,methods,openapi,presenters,shadowed-names}.test.ts',
  'test/contract/matrix/table.test.ts',
  // They read the schema, which is the same on both.
  'test/contract/tables/**',
  'test/support/**',
]

export default defineConfig({
  test: {
    globalSetup: 'test/support/run/build.ts',
    sequence: { sequencer: LongestFirst },
    // A second run finds the modules as they were transformed.
    experimental: { fsModuleCache: true },
    projects: [
      { test: { ...shared, name: 'sqlite', include: all, exclude: [...configDefaults.exclude, inBrowser] } },
      ...(findChromium() ? [{ test: { ...shared, name: 'browser', include: [`${inBrowser}/*.test.ts`] } }] : []),
      ...(postgres
        ? [
            {
              test: {
                ...shared,
                name: 'postgres',
                include: onPostgres,
                exclude: [...configDefaults.exclude, inBrowser, ...withoutDatabase],
                env: { GITSTEAD_TEST_ENGINE: 'postgres' },
              },
            },
          ]
        : []),
    ],
  },
})

function testFiles(): string[] {
  return ['src', 'test'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  )
}
