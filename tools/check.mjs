/** `npm run check`: format, lint, types, the sentences of pages, the size of files, the width of pages' lines, and the import law. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { violations } from './import-law.mjs'
import { ensureInstalled, fail, requireNode, root, say } from './prepare.mjs'

const maxLines = 300
const maxEntries = 40
/** The formatter wraps code at this width, but not text: templates, strings and comments. */
const maxColumns = 140
const roomsOfPages = ['src/pages/', 'src/html/', 'src/web/']
/** Tables with a line for each sentence. */
const tables = 'src/html/languages/'
/** Folders that grow by a file for each change of the schema, and for each decision. */
const growing = ['src/db/migrations', 'docs/decisions']

requireNode()
ensureInstalled()
// Side by side: each of them computes on one processor most of the time.
const passed = await Promise.all([
  passes('tsc', '--noEmit', '-p', '.'),
  passes('tsc', '--noEmit', '-p', 'src/web'),
  passes('biome', 'check', '--error-on-warnings', '.'),
  passes('tsx', 'tools/sentences.mjs'),
])
if (passed.includes(false)) process.exit(1)
const long = sourceFiles().filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > maxLines + 1)
if (long.length > 0) fail(`These files are longer than ${maxLines} lines; split them by verb:\n${long.join('\n')}`)
const overlong = sourceFiles().flatMap(overlongLines)
if (overlong.length > 0) fail(`These lines are longer than ${maxColumns} columns; put one element on a line:\n${overlong.join('\n')}`)
const byChance = files('src/**/*.test.ts', 'test/**/*.test.ts').flatMap(linesOfChance)
if (byChance.length > 0)
  fail(`These lines fail by chance, since random text (a token, a digest) may hold what they look for:\n${byChance.join('\n')}`)
const askedOnce = files('test/browser/*.test.ts').flatMap(linesAskedOnce)
if (askedOnce.length > 0)
  fail(`A page may still be changing. Poll for what these lines ask once (\`await expect.poll(…)\`):\n${askedOnce.join('\n')}`)
const wide = folders().filter(([folder, entries]) => entries.size > maxEntries && !growing.includes(folder))
if (wide.length > 0) fail(`These folders have more than ${maxEntries} entries:\n${wide.map(([folder]) => folder).join('\n')}`)
const refused = violations(join(root, 'src'))
if (refused.length > 0) fail(`The import law (tools/import-law.mjs) refuses:\n${refused.join('\n')}`)
say('Everything is in order.')

/** Runs a program of a package. What it says is shown when it ends, so that no two of them are mixed. */
async function passes(program, ...args) {
  const child = spawn(join(root, 'node_modules', '.bin', program), args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [said, code] = await Promise.all([
    Promise.all([child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray())),
    new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ])
  process.stdout.write(said.flat().join(''))
  return code === 0
}

function files(...patterns) {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split('\n').filter((file) => file !== '')
}

function sourceFiles() {
  return files('*.ts', '*.mjs').filter((file) => !file.endsWith('.test.ts') && !file.startsWith(tables))
}

function overlongLines(file) {
  if (!roomsOfPages.some((room) => file.startsWith(room))) return []
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) => (line.length > maxColumns ? [`${file}:${index + 1}`] : []))
}

/** Lines that expect a word of at most three letters to be absent, or replace the end of a text by what it may already be. */
function linesOfChance(file) {
  return linesWith(file, /not\.toContain\(['"`][\w-]{1,3}['"`]\)|\.slice\(0, -\d\)\}[\w-]/)
}

/** Lines that read a page once though its script may change it a moment later, so that the test would fail by chance. */
function linesAskedOnce(file) {
  return linesWith(file, /\bexpect\((?:\[.*)?await .*\.(?:count|isVisible|inputValue|innerText|textContent|getAttribute|evaluate|title)\(/)
}

function linesWith(file, pattern) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n')
  return lines.flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : []))
}

/** The folders with the names of their entries. */
function folders() {
  const found = new Map()
  for (const file of files()) {
    for (let path = file; path !== '.'; path = dirname(path)) {
      const folder = dirname(path)
      found.set(folder, (found.get(folder) ?? new Set()).add(path))
    }
  }
  return [...found]
}
