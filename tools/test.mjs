/**
 * `npm test`: every test, on SQLite and, where there is one, on PostgreSQL. Arguments are handed to vitest.
 * `npm run test:quick` (`--quick`): what concerns the files that have changed, on SQLite alone; half a minute.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { startPostgres } from './postgres.mjs'
import { ensureInstalled, requireNode, root, say } from './prepare.mjs'
import { quickSelection } from './quick.mjs'

requireNode()
ensureInstalled()
// Screenshots of failures outlive the run.
process.env.GITSTEAD_TEST_PICTURES ??= join(tmpdir(), 'gitstead-pictures')
const memory = folderInMemory()
if (memory) process.env.TMPDIR = memory
const { isQuick, args, env } = selected(process.argv.slice(2))
const given = isQuick ? undefined : process.env.GITSTEAD_TEST_DATABASE_URL
const postgres = given || isQuick ? null : await startPostgres()
const url = given ?? postgres?.url
if (!url && !isQuick) say('No PostgreSQL here (no server binary, no GITSTEAD_TEST_DATABASE_URL): the database tests run on SQLite alone.')
if (!isQuick && !findChromium()) say('No Chromium here (no `chromium`, no GITSTEAD_TEST_CHROMIUM): the browser tests are skipped.')

const vitest = spawn(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...env, GITSTEAD_TEST_DATABASE_URL: url ?? '' },
})
// Whoever ends us ends the tests; then all that is left to do is to clean up.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal))
const code = await new Promise((resolve) => vitest.once('exit', (status) => resolve(status ?? 1)))
await postgres?.stop()
if (memory) rmSync(memory, { recursive: true, force: true, maxRetries: 5 })
process.exit(code)

/** What vitest is given. Nothing that has changed is no failure. */
function selected([first, ...rest]) {
  if (first !== '--quick') return { isQuick: false, args: first === undefined ? [] : [first, ...rest], env: {} }
  const { files, endpoints } = quickSelection()
  if (files.length === 0) {
    say('No file below src/ or test/ has changed.')
    if (memory) rmSync(memory, { recursive: true, force: true })
    process.exit(0)
  }
  return {
    isQuick: true,
    args: ['--project', 'sqlite', ...rest, ...files],
    env: endpoints && { GITSTEAD_TEST_ENDPOINTS: endpoints.join('\n') },
  }
}

/** For what tests write: none of it outlives the machine. Null where memory holds too few files, or none that are run, as hooks are. */
function folderInMemory() {
  const shared = '/dev/shm'
  const min_bytes = 6 * 1024 ** 3
  try {
    const { type, bavail, bsize } = statfsSync(shared)
    const tmpfs = 0x01021994
    if (type !== tmpfs || bavail * bsize < min_bytes) return null
    const folder = mkdtempSync(join(shared, 'gitstead-tests-'))
    // PostgreSQL runs as somebody else, in a folder below.
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
