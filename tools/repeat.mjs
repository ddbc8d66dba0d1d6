/**
 * `npm run test:repeat -- --times 50 --load 4 FILE…`: runs these test files many times beside busy processes, and lists what failed. A test
 * that fails here in one of fifty runs fails by chance. `--project postgres` runs them there.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { fail, root, say } from './prepare.mjs'

const { values, positionals } = parseArgs({
  options: {
    times: { type: 'string', default: '50' },
    load: { type: 'string', default: '4' },
    project: { type: 'string', default: 'sqlite' },
  },
  allowPositionals: true,
})
const times = Number(values.times)
const load = Number(values.load)
if (!(Number.isInteger(times) && times > 0)) fail(`--times must be a whole number from 1 (got "${values.times}")`)
if (!(Number.isInteger(load) && load >= 0)) fail(`--load must be a whole number from 0 (got "${values.load}")`)
if (positionals.length === 0) fail('Name the test files to repeat: npm run test:repeat -- src/features/ci/traces')

const folder = mkdtempSync(join(tmpdir(), 'gitstead-repeat-'))
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
/** Runs in which a test failed, by test. @type {Map<string, number[]>} */
const failures = new Map()
let stopped = false
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => {
    stopped = true
    for (const child of children) child.kill(signal)
  })

for (let count = 0; count < load; count++) start(['--eval', 'for (;;);'], 'ignore')
let ran = 0
while (ran < times && !stopped) {
  const file = join(folder, 'run.json')
  const { code, output } = await runTests(file)
  if (stopped) break
  ran += 1
  const report = readReport(file)
  if (!report) fail(`The tests did not run:\n${output.slice(-2000)}`)
  // An error that no test waited for.
  if (code !== 0 && report.failed.length === 0) report.failed.push({ test: 'the run itself', message: output.slice(-2000) })
  for (const { test, message } of report.failed) {
    failures.set(test, [...(failures.get(test) ?? []), ran])
    say(`run ${ran}: ${test}\n    ${message.split('\n', 3).join('\n    ')}`)
  }
  say(`run ${ran} of ${times}: ${report.passed} passed, ${report.failed.length} failed`)
}

const listed = [...failures].sort(([, a], [, b]) => b.length - a.length)
for (const [test, runs] of listed) say(`${runs.length} of ${ran} runs: ${test}`)
say(
  `${ran} runs beside ${load} busy processes: ${listed.length === 0 ? 'nothing failed' : `${listed.length} tests failed by chance, or always`}`,
)
process.exit(listed.length === 0 && !stopped ? 0 : 1)

/** Runs the files once, with a report in this file. Returns the exit code, and what was printed. */
async function runTests(file) {
  const child = start(
    [join(root, 'tools', 'test.mjs'), '--project', values.project, ...positionals, '--reporter=json', `--outputFile=${file}`],
    'pipe',
  )
  const parts = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part))
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output: Buffer.concat(parts).toString() }
}

function start(args, stdio) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', stdio, stdio] })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** The tests that passed and failed, of a report of vitest; null if there is none. A file that couldn't be loaded counts as a test. */
function readReport(file) {
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(file)
  } catch {
    return null
  }
  const failed = report.testResults.flatMap(({ name, message, assertionResults }) => {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    const path = relative(root, name)
    if (tests.length === 0 && message) return [{ test: path, message }]
    return tests.map(({ fullName, failureMessages }) => ({ test: `${path} › ${fullName}`, message: failureMessages[0] ?? '' }))
  })
  return { passed: report.numPassedTests, failed }
}
