/** `npm run check`: format, lint and import law, types, and the size of files. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, fail, requireNode, root, run, say } from './prepare.mjs'

const mostLines = 300

requireNode()
ensureInstalled()
run(join(root, 'node_modules', '.bin', 'biome'), ['check', '--error-on-warnings', '.'])
run(join(root, 'node_modules', '.bin', 'tsc'), ['--noEmit', '-p', '.'])
const long = sourceFiles().filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > mostLines + 1)
if (long.length > 0) fail(`These files are longer than ${mostLines} lines; split them by verb:\n${long.join('\n')}`)
say('Everything is in order.')

function sourceFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  return stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.test.ts'))
}
