/**
 * `npm test`: the gate, or all tests of the named files. `npm run test:all` (`--all`): every test, on both engines; it refuses SQL texts of
 * the gate that have not met PostgreSQL. With `--record` it chooses the tests of the gate on PostgreSQL again, and records how long each file
 * takes. `npm run test:quick` (`--quick`): tests that the changed files affect, on SQLite only. Other arguments are passed to vitest.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { exceeded } from './cpu-budgets.mjs'
import { startPostgres } from './postgres.mjs'
import { ensureInstalled, requireNode, root, run, say } from './prepare.mjs'
import { quickSelection } from './quick.mjs'
import { ticksOfMachine } from './ticks.mjs'
import { unmetIn } from './unmet-statements.mjs'

/** Options of vitest that are followed by a value; any other word names files. */
const withValue = ['--project', '-t', '--testNamePattern', '--reporter', '--outputFile']
/** Time for running tests to report their state. */
const patience_ms = 20_000

requireNode()
ensureInstalled()
// Screenshots of failures are kept after the run.
process.env.GITSTEAD_TEST_PICTURES ??= join(tmpdir(), 'gitstead-pictures')
const memory = folderInMemory()
if (memory) process.env.TMPDIR = memory
else say(`What tests write is kept on disk, in ${tmpdir()}: there is too little room in memory.`)
const isRecorded = process.argv.includes('--record')
const { tier, args, env } = selected(process.argv.slice(2).filter((arg) => arg !== '--record'))
const isQuick = tier === 'quick'
const isGate = tier === 'gate' || process.env.GITSTEAD_TEST_TIER === 'gate'
const needsPostgres = !isQuick && isWanted('postgres')
const given = needsPostgres ? process.env.GITSTEAD_TEST_DATABASE_URL : undefined
const postgres = given || !needsPostgres ? null : await startPostgres()
const url = given ?? postgres?.socketUrl
if (!url && needsPostgres)
  say('No PostgreSQL here (no server binary, no GITSTEAD_TEST_DATABASE_URL): the database tests run on SQLite alone.')
// A part of the tests can't tell what none of them does.
const isEverything = tier === 'all' && args.length === 0 && Boolean(url)
const record = isRecorded || isEverything ? recording() : null
if (!isQuick && !findChromium()) say('No Chromium here (no `chromium`, no GITSTEAD_TEST_CHROMIUM): the browser tests are skipped.')

const started_ms = performance.now()
const ticks = ticksOfMachine()
const reporters = ['--reporter=default', `--reporter=${join(root, 'tools', 'test-reporter.mjs')}`]
const vitest = spawn(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...reporters, ...args], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: { ...process.env, ...env, ...record, GITSTEAD_TEST_DATABASE_URL: url ?? '' },
})
// A signal to this process ends the tests; then only the cleanup remains.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal))
let counts = null
vitest.on('message', (message) => {
  counts = message
})
const deadline_s = Number(process.env.GITSTEAD_TEST_DEADLINE_S || 0)
const deadline = deadline_s > 0 ? setTimeout(endInTime, deadline_s * 1000) : undefined
const status = await new Promise((resolve) => vitest.once('exit', (code) => resolve(code ?? 1)))
clearTimeout(deadline)
await postgres?.stop()
const unmet = record && isEverything && counts ? unmetIn(record.GITSTEAD_TEST_STATEMENTS) : []
if (record && isRecorded && status === 0)
  run(process.execPath, ['--import', 'tsx', join(root, 'tools', 'choose-tests.mjs'), record.GITSTEAD_TEST_STATEMENTS])
if (memory) removeFolder(memory)
const costs = costsOfRun()
sayCosts(costs)
const refused = isGate && counts ? exceeded(counts.files, costs.own_s, costs.others) : unmet
for (const line of refused) say(line)
if (counts) say(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
else say('The tests did not end.')
process.exit(status !== 0 ? status : counts && refused.length === 0 ? 0 : 1)

/** The selected tests, the arguments for vitest, and its environment. It is no failure if nothing has changed. */
function selected(given) {
  const args = given.filter((arg) => arg !== '--quick' && arg !== '--all')
  if (!given.includes('--quick')) {
    // Named files run completely.
    const isWhole = !given.includes('--all') && !args.some((arg, at) => !arg.startsWith('-') && !withValue.includes(args[at - 1]))
    return isWhole ? { tier: 'gate', args, env: { GITSTEAD_TEST_TIER: 'gate' } } : { tier: 'all', args, env: {} }
  }
  const { files, endpoints, isWider, leftOut } = quickSelection()
  if (isWider) say('Code of every endpoint has changed: fuzz, hostile and the matrix, which ask much, are left to `npm test`.')
  if (leftOut.length > 0) {
    const nearest = leftOut.slice(0, 3).join(', ')
    say(`Further from the change than a minute allows, and left to \`npm test\`: ${leftOut.length} files, from ${nearest} on.`)
  }
  if (files.length === 0) {
    say('Neither code below src/ or test/ nor a page of the documentation has changed.')
    if (memory) rmSync(memory, { recursive: true, force: true })
    process.exit(0)
  }
  return {
    tier: 'quick',
    args: ['--project', 'sqlite', ...args, ...files],
    env: { GITSTEAD_TEST_TIER: 'gate', ...(endpoints && { GITSTEAD_TEST_ENDPOINTS: endpoints.join('\n') }) },
  }
}

/**
 * Whether tests of this project may run: those of any project if none is named.
 * @param {string} project
 */
function isWanted(project) {
  const named = args.flatMap((arg, at) => (args[at - 1] === '--project' ? [arg] : arg.startsWith('--project=') ? [arg.slice(10)] : []))
  return named.length === 0 || named.includes(project)
}

/** The environment in which tests record their SQL texts, and with `--record` their times. */
function recording() {
  const folder = mkdtempSync(join(process.env.TMPDIR ?? tmpdir(), 'gitstead-record-'))
  const GITSTEAD_TEST_STATEMENTS = join(folder, 'statements')
  return { GITSTEAD_TEST_STATEMENTS, ...(isRecorded && { GITSTEAD_TEST_TIMINGS: join(root, 'test', 'timings.txt') }) }
}

/** Reports what is running, then ends it. */
function endInTime() {
  say(`The tests had ${deadline_s} s (GITSTEAD_TEST_DEADLINE_S).`)
  vitest.kill('SIGUSR2')
  setTimeout(() => vitest.kill('SIGTERM'), patience_ms / 4).unref()
  setTimeout(() => vitest.kill('SIGKILL'), patience_ms).unref()
}

/** Seconds of processor time and of wall time, and shares of the machine. */
function costsOfRun() {
  const seconds = (performance.now() - started_ms) / 1000
  const own_s = processorTime_s() + (counts?.forked_s ?? 0)
  const { all, busy } = ticksOfMachine()
  const working = (busy - ticks.busy) / (all - ticks.all || 1)
  const own = own_s / (seconds * availableParallelism())
  return { seconds, own_s, own, others: Math.max(working - own, 0), waiting: 1 - working }
}

/** So that growth can be distinguished from a busy machine. */
function sayCosts({ seconds, own_s, own, others, waiting }) {
  const share = (part) => `${Math.round(100 * part)} %`
  say(
    `${own_s.toFixed(0)} s of processor in ${seconds.toFixed(0)} s on ${availableParallelism()} processors: ` +
      `${share(own)} for the tests, ${share(others)} for others, ${share(waiting)} waiting`,
  )
}

/**
 * Processor time of all processes that were started here, have ended and been waited for: fields 16 and 17 of proc_pid_stat(5), in
 * hundredths of a second.
 */
function processorTime_s() {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    const [user, system] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(13, 15)
    return (Number(user) + Number(system)) / 100
  } catch {
    return Number.NaN
  }
}

/** Processes that a run left behind may still write there; the last lines must be printed all the same. */
function removeFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  } catch (error) {
    say(`${folder} could not be removed: ${error.message}`)
  }
}

/**
 * For files that tests write: none of them has to survive a crash. Null if memory is short of space, or doesn't allow executable files,
 * such as hooks.
 */
function folderInMemory() {
  const shared = '/dev/shm'
  const min_bytes = 2 * 1024 ** 3
  try {
    const { type, bavail, bsize } = statfsSync(shared)
    const tmpfs = 0x01021994
    if (type !== tmpfs || bavail * bsize < min_bytes) return null
    const folder = mkdtempSync(join(shared, 'gitstead-tests-'))
    // PostgreSQL runs as another user, in a folder below.
    chmodSync(folder, 0o711)
    const script = join(folder, 'script')
    writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
    if (spawnSync(script).status === 0) return folder
    rmSync(folder, { recursive: true })
  } catch {
    // Not every system has it.
  }
  return null
}
