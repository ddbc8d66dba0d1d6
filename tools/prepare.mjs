/** Prepares the folder before anything runs: installs the packages of the lockfile, and builds what is older than its source. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const installedMark = join(root, 'node_modules', '.gitstead-installed')
const builtMark = join(root, 'dist', '.gitstead-built')

/** Exits with one line if Node.js is too old. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) fail(`Gitstead needs Node.js 20.19 or later; this is ${process.versions.node}`)
}

/**
 * Installs the packages of the lockfile, unless exactly these are installed. With `compile: false` nothing is compiled: `npm rebuild` does it
 * later, which takes most of the time and one processor.
 */
export function ensureInstalled({ compile = true } = {}) {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(process.versions.modules)
    .digest('hex')
  if (existsSync(installedMark) && readFileSync(installedMark, 'utf8') === wanted) return
  say('Installing packages (the first time takes a minute or two) …')
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...(compile ? [] : ['--ignore-scripts'])])
  writeFileSync(installedMark, wanted)
}

/** Builds `dist/` if a source file is newer, in a process of its own, with which esbuild's helper process ends. */
export function ensureBuilt() {
  if (existsSync(builtMark) && newest(join(root, 'src')) <= statSync(builtMark).mtimeMs) return
  say('Building …')
  run(process.execPath, [join(root, 'tools', 'build.mjs')])
}

export async function build() {
  // Imported only now, as the packages may not have been installed before.
  const [{ buildProgram }, { buildWeb }] = await Promise.all([import('./build-program.mjs'), import('./build-web.mjs')])
  await buildProgram()
  await buildWeb(root, join(root, 'dist', 'web'))
  writeFileSync(builtMark, '')
}

/** Runs a command in the project's folder, and exits with its code if it fails. */
export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options })
  if (error) fail(`${program} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

export function say(line) {
  process.stdout.write(`${line}\n`)
}

export function fail(line) {
  process.stderr.write(`${line}\n`)
  process.exit(1)
}

function newest(folder) {
  let latest = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs)
  }
  return latest
}
